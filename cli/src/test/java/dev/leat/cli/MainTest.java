package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MainTest {
    private final PrintStream standardOut = System.out;
    private final PrintStream standardErr = System.err;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void capture() {
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restore() {
        System.setOut(standardOut);
        System.setErr(standardErr);
    }

    @Test
    void theDemoAddsUp() {
        int exit = Main.execute("demo", "--tasks", "500");

        assertThat(exit).as(text(out)).isZero();
        assertThat(text(out)).contains("501 put = 499 done + 2 buried").doesNotContain("✗");
    }

    @Test
    void theDemoRefusesSenselessNumbers() {
        assertThat(Main.execute("demo", "--tasks", "7")).isEqualTo(2);
        assertThat(text(err)).contains("--tasks must be from 100 to 8000, was 7");
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        assertThat(Main.execute()).isEqualTo(2);
        assertThat(text(err)).contains("Which command?").contains("demo");
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }
}
