package dev.leat.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dependencies of this module are all that the program of the README needs. */
class FirstProgramTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern PROGRAM = Pattern.compile("(?ms)^```java\\R(.*?)^```");
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void theOneDependencyRunsTheProgramOfTheReadme() throws Exception {
        String classPath = Files.readString(Path.of("target/runtime.classpath"));
        Path source = Files.writeString(folder.resolve("Main.java"), firstIn(readme(), PROGRAM));
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", classPath, "-d", folder.toString(), source.toString());
        assertThat(compiled).isZero();
        Path output = folder.resolve("output");
        Process program = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        folder + File.pathSeparator + classPath,
                        "Main"))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            await().atMost(SOON)
                    .until(() -> !program.isAlive() || Files.readString(output).contains("Sending Bye"));

            program.toHandle().destroy();

            assertThat(program.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(output))
                    .contains("Sending Hello to ada@example.org", "Sending Bye to bob@example.org")
                    .doesNotContain("Exception");
        } finally {
            program.destroyForcibly();
        }
        assertThat(folder.resolve("jobs.db")).exists();
        assertThat(classPath).as("what an application chooses itself").doesNotContain("slf4j-simple", "logback");
    }

    @Test
    void theCoordinatesOfTheReadmeAreThoseOfThisModule() throws IOException {
        String leat = firstIn(Files.readString(Path.of("pom.xml")), Pattern.compile("<version>(.*?)</version>"));
        String slf4j = firstIn(
                Files.readString(ROOT.resolve("pom.xml")), Pattern.compile("<slf4j.version>(.*?)</slf4j.version>"));

        assertThat(readme())
                .contains("<groupId>dev.leat</groupId>\n  <artifactId>leat</artifactId>\n  <version>" + leat + "<")
                .contains("implementation(\"dev.leat:leat:" + leat + "\")")
                .contains("<artifactId>slf4j-simple</artifactId>\n  <version>" + slf4j + "<")
                .contains("runtimeOnly(\"org.slf4j:slf4j-simple:" + slf4j + "\")");
    }

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private static String firstIn(String text, Pattern pattern) {
        return pattern.matcher(text).results().findFirst().orElseThrow().group(1);
    }
}
