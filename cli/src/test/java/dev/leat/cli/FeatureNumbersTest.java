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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The features of the systems that Leat takes the place of have numbers, and tests that carry them in a comment behind the brace with which
 * they begin: {@code // N1, R.3-1}.
 */
class FeatureNumbersTest {
    private static final Path ROOT = Path.of("..");

    /** Numbers that begin alike and count from 1, and the page with the table of them. */
    private enum Series {
        NSJ("N", 59, "docs/from-nsj.md"),
        RSQUEUE("R", 44, "docs/from-rsqueue.md"),
        RSQUEUE_SEMANTICS("R.3-", 10, "docs/from-rsqueue.md");

        final String beginning;
        final int last;
        final Path page;

        Series(String beginning, int last, String page) {
            this.beginning = beginning;
            this.last = last;
            this.page = ROOT.resolve(page);
        }

        List<String> numbers() {
            return IntStream.rangeClosed(1, last)
                    .mapToObj(number -> beginning + number)
                    .toList();
        }

        boolean has(String number) {
            return number.matches(Pattern.quote(beginning) + "\\d+");
        }
    }

    /** From the annotation to the end of the line on which the body begins. */
    private static final Pattern TEST = Pattern.compile(
            "@(?:Test|ParameterizedTest)\\b(?:(?!\\bvoid ).)*?\\bvoid (\\w+)\\([^)]*\\)[^{;]*\\{([^\\n]*)",
            Pattern.DOTALL);

    private static final Pattern NUMBER = Pattern.compile("\\b[NR](?:\\.3-)?\\d+\\b");
    private static final Pattern ROW = Pattern.compile("\\| (" + NUMBER + ") \\|[^|]+\\|[^|]+\\|([^|]+)\\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+\\.\\w+)`");

    /** The tests that carry a number, by it: {@code Class.method}. */
    private static Map<String, Set<String>> testsByNumber() throws IOException {
        Map<String, Set<String>> tests = new TreeMap<>();
        for (Path source : testSources()) {
            String type = source.getFileName().toString().replace(".java", "");
            Matcher test = TEST.matcher(Files.readString(source));
            while (test.find()) {
                String name = type + "." + test.group(1);
                NUMBER.matcher(test.group(2)).results().forEach(number -> tests.computeIfAbsent(
                                number.group(), any -> new TreeSet<>())
                        .add(name));
            }
        }
        return tests;
    }

    /** The storage-tests module has its tests among its classes. */
    private static List<Path> testSources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                for (Path folder : List.of(module.resolve("src/test/java"), module.resolve("src/main/java"))) {
                    if (Files.isDirectory(folder) && (folder.endsWith("src/test/java") || module.endsWith("storage-tests"))) {
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

    @ParameterizedTest
    @EnumSource
    void everyNumberIsCarriedByATest(Series series) throws IOException {
        assertThat(testsByNumber().keySet())
                .filteredOn(series::has)
                .containsExactlyInAnyOrderElementsOf(series.numbers());
    }

    @ParameterizedTest
    @EnumSource
    void thePageNamesTestsThatCarryEachNumber(Series series) throws IOException {
        Map<String, Set<String>> tests = testsByNumber();
        List<String> rows = new ArrayList<>();
        for (String line : Files.readAllLines(series.page)) {
            Matcher row = ROW.matcher(line);
            if (row.matches() && series.has(row.group(1))) {
                String number = row.group(1);
                rows.add(number);
                Set<String> named = NAME.matcher(row.group(2))
                        .results()
                        .map(name -> name.group(1))
                        .collect(Collectors.toSet());
                assertThat(named)
                        .as("tests that the page names for %s", number)
                        .isNotEmpty()
                        .isSubsetOf(tests.getOrDefault(number, Set.of()));
            }
        }
        assertThat(rows).containsExactlyElementsOf(series.numbers());
    }
}
