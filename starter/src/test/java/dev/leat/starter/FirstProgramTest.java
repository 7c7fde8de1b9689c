package dev.leat.starter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dependencies of this module are all that a first program needs. */
class FirstProgramTest {
    @TempDir
    Path folder;

    @Test
    void theOneDependencyRunsAProgramThatKeepsItsTasksInAFile() throws Exception {
        Path output = folder.resolve("output");
        String classPath =
                "target/test-classes" + File.pathSeparator + Files.readString(Path.of("target/runtime.classpath"));
        Process program = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        FirstProgram.class.getName(),
                        folder.resolve("jobs.db").toString()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean hasEnded = program.waitFor(60, TimeUnit.SECONDS);
        program.destroyForcibly();

        assertThat(hasEnded).isTrue();
        assertThat(Files.readString(output))
                .contains("to ada@example.org: Hello")
                .doesNotContain("Exception");
        assertThat(program.exitValue()).isZero();
        assertThat(classPath).as("what an application chooses itself").doesNotContain("slf4j-simple", "logback");
    }
}
