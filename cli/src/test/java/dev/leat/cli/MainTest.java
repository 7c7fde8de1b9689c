package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.sql.SqlSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    void theVersionNamesTheCommitOfABuildFromGit() throws Exception {
        Matcher version = Pattern.compile("leat \\d+\\.\\d+\\S* \\((([0-9a-f]{7,})(-dirty)?, )?JDK \\d+\\S*\\)")
                .matcher(Cli.run("--version").out().strip());

        assertThat(version.matches()).isTrue();
        if (Files.exists(Path.of("../.git"))) {
            // Not the last commit itself: another one may be made while the tests run.
            Process git = new ProcessBuilder("git", "merge-base", "--is-ancestor", version.group(2), "HEAD")
                    .inheritIO()
                    .start();
            assertThat(git.waitFor()).as(version.group()).isZero();
        }
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
            schema                                        | Missing required subcommand: print
            schema print                                  | Missing required option: '--dialect=NAME'
            schema print --dialect oracle                 | expected one of [POSTGRESQL, MARIADB, SQLITE]
            schema print --dialect sqlite --schema jobs   | --schema is not for SQLite
            schema print --dialect mariadb --schema a-b   | --schema must be 1 to 40 letters, digits and _
            schema print --dialect mariadb --prefix 1     | --prefix must be 1 to 40 letters, digits and _
            """)
    void aWrongWishForTheSchemaIsExplained(String line, String words) { // N3
        Cli.Ran ran = Cli.run(line.split(" "));

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err().lines()).hasSize(2);
        assertThat(ran.err()).startsWith("leat: ").contains(words).contains("Try 'leat schema");
        assertThat(ran.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            put q x --dela 5s          | Unknown option: '--dela'         | Did you mean --delay? Try 'leat put --help'.
            put q x --foo=bar          | Unknown option: '--foo'          | Try 'leat put --help'.
            stat                       | Unknown command: 'stat'          | Did you mean stats? Try 'leat --help'.
            queue lst                  | Unknown command: 'lst'           | Did you mean list? Try 'leat queue --help'.
            frobnicate                 | Unknown command: 'frobnicate'    | Try 'leat --help'.
            queue show a b             | Unexpected argument: 'b'         | Try 'leat queue show --help'.
            put                        | Missing required parameter: 'QUEUE' | Try 'leat put --help'.
            peek abc                   | Invalid value for positional parameter at index 0 (ID): 'abc' is not a whole number | Try 'leat peek --help'.
            put q x --priority 1.5     | Invalid value for option '--priority': '1.5' is not a whole number | Try 'leat put --help'.
            put q x --priority 3000000000 | Invalid value for option '--priority': '3000000000' is too large a number | Try 'leat put --help'.
            put q x --delay soon       | Invalid value for option '--delay': must be a duration such as 1.5s, 2m or a number of seconds, was 'soon' | Try 'leat put --help'.
            schedule put n q --every 1s --start noon | Invalid value for option '--start': must be a time such as 2026-01-31T12:00:00Z, was 'noon' | Try 'leat schedule put --help'.
            dead                       | Missing required subcommand: list, count, redrive | Try 'leat dead --help'.
            stats --tenants --storage memory: | QUEUE is needed to count the tasks of its tenants | Try 'leat stats --help'.
            """)
    void aWrongCommandLineIsExplainedInOneLineAndAHint(String line, String problem, String hint) {
        Cli.Ran ran = Cli.run(line.split(" "));

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().lines()).containsExactly("leat: " + problem, hint);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            stats --storage oracle:thin             | The URL of the storage 'oracle:thin' begins with none of http://, | The storage is oracle:thin, from --storage. Name one with --storage, such as sqlite:FILE.
            stats --storage sqlite:                 | The URL of the storage names no file; write sqlite:path/to/file.db | The storage is sqlite:, from --storage. Name one with --storage, such as sqlite:FILE.
            stats --storage jdbc:postgresql://127.0.0.1:1/jobs?user=x&password=secret | refused | The storage is jdbc:postgresql://127.0.0.1:1/jobs?…, from --storage. See whether it can be used, or name another with --storage.
            stats --storage jdbc:mariadb://127.0.0.1:1/jobs?user=x&password=secret | refused | The storage is jdbc:mariadb://127.0.0.1:1/jobs?…, from --storage. See whether it can be used, or name another with --storage.
            stats nowhere --storage memory:         | No queue named 'nowhere'. | 'leat queue list' shows the queues, 'leat queue create NAME' makes one.
            stats PT5M --storage memory:            | No queue named 'PT5M'. | 'leat queue list' shows the queues, 'leat queue create NAME' makes one.
            stats PT1S2M --storage memory:          | No queue named 'PT1S2M'. | 'leat queue list' shows the queues, 'leat queue create NAME' makes one.
            cancel 7 --storage memory:              | Task 7 not found. | 'leat list' shows live tasks, 'leat list --state done,failed,expired,canceled' those that have ended.
            schedule show s --storage memory:       | No schedule 's'. | 'leat schedule list' shows the schedules.
            subscription show s --storage memory:   | No subscription 's'. | 'leat subscription list' shows the subscriptions.
            put q x --unless-equivalent --storage memory: | --external-key is needed to look for equivalent tasks | Try 'leat put --help'.
            put q x --ttl 40000d --storage memory:  | --ttl must be at most 36525 days, was 40000d; leave it out for no limit | Try 'leat put --help'.
            schedule put s q --every 10ms --storage memory: | --every must be at least 1s, was 10ms | Try 'leat schedule put --help'.
            subscription put s t --url ftp://x --storage memory: | --url must begin with http:// or https:// | Try 'leat subscription put --help'.
            server --host 192.0.2.1 --storage memory: | --host must be a loopback address, was '192.0.2.1' | Try 'leat server --help'.
            """)
    void aFailureIsExplainedInTheWordsOfTheCommandLine(String line, String problem, String hint) {
        Cli.Ran ran = Cli.run(line.split(" "));

        assertThat(ran.exit()).as(ran.err()).isIn(1, 3);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().lines()).hasSize(2).last().isEqualTo(hint);
        assertThat(ran.err())
                .startsWith("leat: ")
                .contains(problem)
                .doesNotContain("secret", "Exception", "class path", "dev.leat", "\tat ");
    }

    @Test
    void theTypesOfATakeNeedAQueueThatFiltersThem(@TempDir Path folder) {
        String[] storage = {"--storage", "sqlite:" + folder.resolve("jobs.db")};
        Cli.run("queue", "create", "plain", storage[0], storage[1]);
        Cli.run("queue", "create", "filtered", "--type-filter", storage[0], storage[1]);

        Cli.Ran refused = Cli.run("take", "plain", "--type", "mail", storage[0], storage[1]);

        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err().lines())
                .containsExactly(
                        "leat: queue 'plain' has no type filter, so --type cannot be used",
                        "'leat queue create NAME --type-filter' makes a queue that filters them.");
        assertThat(Cli.run("take", "filtered", "--type", "mail", storage[0], storage[1])
                        .exit())
                .isEqualTo(3);
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        Cli.Ran ran = Cli.run();

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("Which command?").contains("demo");
    }
}
