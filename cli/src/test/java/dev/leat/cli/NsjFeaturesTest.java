package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each feature of nsj-queue-lib has a number, from N1 to N59, and tests that carry it beside their names, as this one would: {@code void
 * aTest() { // N1}.
 */
class NsjFeaturesTest {
    private static final Path ROOT = Path.of("..");
    private static final int FEATURES = 59;

    /** From the annotation to the end of the line on which the body begins. */
    private static final Pattern TEST = Pattern.compile(
            "@(?:Test|ParameterizedTest)\\b(?:(?!\\bvoid ).)*?\\bvoid (\\w+)\\([^)]*\\)[^{;]*\\{([^\\n]*)",
            Pattern.DOTALL);

    private static final Pattern NUMBER = Pattern.compile("\\bN(\\d+)\\b");
    private static final Pattern ROW = Pattern.compile("\\| N(\\d+) \\|[^|]+\\|[^|]+\\|([^|]+)\\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+\\.\\w+)`");

    /** The tests that carry a number, by it: {@code Class.method}. */
    private static Map<Integer, Set<String>> testsByNumber() throws IOException {
        Map<Integer, Set<String>> tests = new TreeMap<>();
        for (Path source : testSources()) {
            String type = source.getFileName().toString().replace(".java", "");
            Matcher test = TEST.matcher(Files.readString(source));
            while (test.find()) {
                String name = type + "." + test.group(1);
                NUMBER.matcher(test.group(2)).results().forEach(number -> tests.computeIfAbsent(
                                Integer.valueOf(number.group(1)), any -> new TreeSet<>())
                        .add(name));
            }
        }
        return tests;
    }

    /** The testkit has its tests among its classes. */
    private static List<Path> testSources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                for (Path folder : List.of(module.resolve("src/test/java"), module.resolve("src/main/java"))) {
                    if (Files.isDirectory(folder) && (folder.endsWith("src/test/java") || module.endsWith("testkit"))) {
                        try (Stream<Path> files = Files.walk(folder)) {
                            files.filter(file -> file.toString().endsWith(".java"))
                                    .forEach(sources::add);
                        }
                    }
                }
            }
        }
        return sources;
    }

    private static List<Integer> all() {
        return IntStream.rangeClosed(1, FEATURES).boxed().toList();
    }

    @Test
    void everyNumberIsCarriedByATest() throws IOException {
        assertThat(testsByNumber().keySet()).containsExactlyElementsOf(all());
    }

    @Test
    void thePageNamesTestsThatCarryEachNumber() throws IOException {
        Map<Integer, Set<String>> tests = testsByNumber();
        List<Integer> rows = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/from-nsj.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                int number = Integer.parseInt(row.group(1));
                rows.add(number);
                Set<String> named = NAME.matcher(row.group(2))
                        .results()
                        .map(name -> name.group(1))
                        .collect(Collectors.toSet());
                assertThat(named)
                        .as("tests that the page names for N%s", number)
                        .isNotEmpty()
                        .isSubsetOf(tests.getOrDefault(number, Set.of()));
            }
        }
        assertThat(rows).containsExactlyElementsOf(all());
    }
}
