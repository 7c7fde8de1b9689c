package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.SqlSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jvm")
class MainTest {
    @Test
    void theDemoAddsUp() {
        Cli.Ran ran = Cli.run("demo", "--tasks", "500", "--burst", "3000");

        assertThat(ran.exit()).as(ran.out()).isZero();
        assertThat(ran.out()).contains("501 put = 499 done + 2 buried").doesNotContain("✗");
        assertThat(ran.out().strip().lines().toList())
                .last()
                .asString()
                .matches("  ✓ put in [\\d.]+ s \\([\\d,]+ a second\\), worked off in [\\d.]+ s \\([\\d,]+ a second\\)");
    }

    @Test
    void theDemoRefusesSenselessNumbers() {
        Cli.Ran ran = Cli.run("demo", "--tasks", "7");

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("--tasks must be from 100 to 8000, was 7");
        assertThat(Cli.run("demo", "--burst", "0").err()).contains("--burst must be from 1 to 100000, was 0");
    }

    @Test
    void theVersionNamesTheCommitOfABuildFromGit() {
        Cli.Ran ran = Cli.run("--version");

        String commit = Files.exists(Path.of("../.git")) ? "[0-9a-f]{7,}(-dirty)?, " : "";
        assertThat(ran.out().strip()).matches("leat \\d+\\.\\d+\\S* \\(" + commit + "JDK \\d+\\S*\\)");
    }

    @Test
    void aBuildFromASourceArchiveHasAVersionWithoutACommit() {
        assertThat(Version.text("1.2.0", new Properties(), "17.0.15")).isEqualTo("leat 1.2.0 (JDK 17.0.15)");
    }

    @Test
    void theSchemaIsPrintedAsItWouldBeMade() { // N3
        Cli.Ran ran = Cli.run("schema", "print", "--dialect", "postgresql", "--schema", "jobs", "--prefix", "x_");

        assertThat(ran.exit()).isZero();
        assertThat(ran.out())
                .isEqualTo(SqlSchema.of(SqlSchema.Dialect.POSTGRESQL)
                        .schema("jobs")
                        .prefix("x_")
                        .script())
                .contains("CREATE TABLE jobs.x_task (");
        assertThat(ran.err()).isEmpty();
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
    void aWrongWishForTheSchemaIsExplained(String line, String words) { // N3
        Cli.Ran ran = Cli.run(line.split(" "));

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains(words).contains("Usage: leat schema");
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        Cli.Ran ran = Cli.run();

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("Which command?").contains("demo");
    }
}
