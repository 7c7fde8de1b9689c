package dev.leat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Code, tests and mutants cite the rules of {@code docs/rules.md} by number, as "rule 9" and "P4". */
class RulesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TITLE = Pattern.compile("(?m)^\\*\\*(?:Rule )?(P?\\d+)\\. ");
    private static final Pattern CITATION = Pattern.compile("\\brules? (\\d+)|^breaks: (P\\d)", Pattern.MULTILINE);
    private static final Pattern CITING_FILE = Pattern.compile(".*\\.(java|sql)|.*mutants\\.txt");

    @Test
    void everyCitedRuleIsOnThePage() throws IOException {
        Set<String> rules = TITLE.matcher(Files.readString(ROOT.resolve("docs/rules.md")))
                .results()
                .map(title -> title.group(1))
                .collect(Collectors.toSet());
        List<String> citations = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (Path file : citingFiles()) {
            Matcher matcher = CITATION.matcher(Files.readString(file));
            while (matcher.find()) {
                String cited = cited(matcher.toMatchResult());
                citations.add(cited);
                if (!rules.contains(cited)) {
                    unknown.add(file + ": " + cited);
                }
            }
        }

        assertThat(citations).hasSizeGreaterThan(100);
        assertThat(unknown).isEmpty();
    }

    private static String cited(MatchResult citation) {
        return citation.group(1) != null ? citation.group(1) : citation.group(2);
    }

    private static List<Path> citingFiles() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .flatMap(RulesTest::filesBelow)
                    .filter(file -> CITING_FILE.matcher(file.toString()).matches())
                    .toList();
        }
    }

    private static Stream<Path> filesBelow(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
