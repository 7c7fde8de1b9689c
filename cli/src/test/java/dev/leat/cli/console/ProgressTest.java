package dev.leat.cli.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.cli.Cli;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody at a terminal sees of a long command. */
class ProgressTest {
    @TempDir
    Path folder;

    @Test
    void aBarFillsUp() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();

        try (Progress progress = Progress.on(new PrintStream(shown, true, UTF_8), "putting", OptionalLong.of(3_000))) {
            progress.show(1_000);
            progress.show(3_000);
        }

        assertThat(shown.toString(UTF_8)).contains("putting").contains("100%").contains("3000/3000");
    }

    @Test
    void withoutATotalThereIsACountAlone() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();

        try (Progress progress = Progress.on(new PrintStream(shown, true, UTF_8), "putting", OptionalLong.empty())) {
            progress.show(1_000);
        }

        assertThat(shown.toString(UTF_8)).contains("putting").contains("1000/?");
    }

    /** On a terminal of its own, which util-linux' script makes. */
    @Test
    void manyPutsShowABarOnATerminal() throws Exception {
        Path script = Path.of("/usr/bin/script");
        assertThat(script)
                .as("script(1), which Debian has in its package bsdutils")
                .isExecutable();
        Path lines = Files.writeString(folder.resolve("tasks.ndjson"), "{\"payload\": 1}\n".repeat(2_500));
        String put = Cli.command().stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "))
                + " put q --ndjson " + lines + " --storage sqlite:" + folder.resolve("jobs.db");

        Process terminal = new ProcessBuilder(script.toString(), "-qec", put, "/dev/null")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(terminal.getInputStream().readAllBytes(), UTF_8))
                .contains("100%")
                .contains("2500/2500")
                .contains("2,500 put");
        assertThat(terminal.waitFor()).isZero();
    }

    @Test
    void elsewhereNothingIsShown() throws Exception {
        Path lines = Files.writeString(folder.resolve("tasks.ndjson"), "{\"payload\": 1}\n".repeat(2_500));

        Cli.Ran ran =
                Cli.run("put", "q", "--ndjson", lines.toString(), "--storage", "sqlite:" + folder.resolve("jobs.db"));

        assertThat(ran.out()).isEqualTo("2,500 put\n");
        assertThat(ran.err()).isEmpty();
    }
}
