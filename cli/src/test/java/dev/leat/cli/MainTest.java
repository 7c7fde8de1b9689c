package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.SqlSchema;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void theSchemaIsPrintedAsItWouldBeMade() {
        assertThat(Main.execute("schema", "print", "--dialect", "postgresql", "--schema", "jobs", "--prefix", "x_"))
                .isZero();

        assertThat(text(out))
                .isEqualTo(SqlSchema.of(SqlSchema.Dialect.POSTGRESQL)
                        .schema("jobs")
                        .prefix("x_")
                        .script())
                .contains("CREATE TABLE jobs.x_task (");
        assertThat(text(err)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            schema                                        | Missing required subcommand
            schema print                                  | Missing required option: '--dialect=NAME'
            schema print --dialect oracle                 | expected one of [POSTGRESQL, MARIADB, SQLITE]
            schema print --dialect sqlite --schema jobs   | --schema is not for SQLite
            schema print --dialect mariadb --schema a-b   | --schema must be 1 to 40 letters, digits and _
            schema print --dialect mariadb --prefix 1     | --prefix must be 1 to 40 letters, digits and _
            """)
    void aWrongWishForTheSchemaIsExplained(String line, String words) {
        assertThat(Main.execute(line.split(" "))).isEqualTo(2);

        assertThat(text(err)).contains(words).contains("Usage: leat schema");
        assertThat(text(out)).isEmpty();
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
