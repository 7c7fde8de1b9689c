package dev.leat.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each example as {@code examples/run} does, and compares what it prints with what README.md says. */
class ExamplesTest {
    private static final Pattern SHOWN = Pattern.compile("(?m)^\\$ examples/run (\\w+)\\R((?:(?!```).*\\R)+)");
    private static final Path SOURCES = Path.of("src/main/java/dev/leat/examples");

    @TempDir
    Path temporary;

    @ParameterizedTest
    @MethodSource("examples")
    void anExamplePrintsWhatItsPageSaysAndLeavesNothingBehind(String name) throws Exception {
        Path out = temporary.resolve("out");
        Process example = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED", // as the launcher does
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        classPath(),
                        SOURCES.resolve(name + ".java").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(out.toFile())
                .start();

        boolean isEnded = example.waitFor(1, TimeUnit.MINUTES);
        example.destroyForcibly();

        assertThat(isEnded).isTrue();
        assertThat(example.exitValue()).isZero();
        assertThat(Files.readAllLines(out)).containsExactlyInAnyOrderElementsOf(shown(name));
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).noneMatch(file -> file.startsWith("leat-"));
        }
    }

    @Test
    void everyExampleIsShown() throws IOException {
        assertThat(examples()).hasSize(4).allMatch(name -> shownAs(name).isPresent());
    }

    static List<String> examples() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> !name.equals("package-info"))
                    .toList();
        }
    }

    /** Without the classes of the examples: Java refuses to run a source whose class is on the path. */
    private static String classPath() {
        Path classes = Path.of("target/classes").toAbsolutePath();
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).toAbsolutePath().equals(classes))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> shown(String name) {
        return shownAs(name).orElseThrow().lines().toList();
    }

    private static Optional<String> shownAs(String name) {
        try {
            Matcher shown = SHOWN.matcher(Files.readString(Path.of("README.md")));
            return shown.results()
                    .filter(result -> result.group(1).equals(name))
                    .map(result -> result.group(2))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
