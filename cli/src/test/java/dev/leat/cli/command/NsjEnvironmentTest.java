package dev.leat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.PurgeOptions;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The variables that users of nsj-queue-lib have set already say the same to Leat. Covers N48, N56, N57. */
class NsjEnvironmentTest {
    private final Map<String, String> variables = new HashMap<>(Map.of(
            "DB_HOST", "db.example.org",
            "DB_PORT", "5432",
            "DB_BASE", "shop",
            "DB_USER", "ada",
            "DB_PASS", "secret",
            "QUEUE_NAME", "emails",
            "QUEUE_TABLE", "jobs"));

    private NsjEnvironment read() {
        return NsjEnvironment.of(variables).orElseThrow();
    }

    @Test
    void theyNameTheDatabaseItsTablesAndTheQueue() { // N56
        assertThat(read().storageUrl())
                .isEqualTo("jdbc:postgresql://db.example.org:5432/shop?user=ada&password=secret&prefix=jobs_");
        assertThat(read().queue()).isEqualTo("emails");
        assertThat(read().isDebugging()).isFalse();
    }

    @Test
    void theirOtherNamesAreUnderstoodToo() {
        Map<String, String> others = Map.of(
                "DATABASE_HOST", "db.example.org",
                "DATABASE_PORT", "5432",
                "DATABASE_NAME", "shop",
                "DATABASE_USER", "ada",
                "DATABASE_PASS", "secret",
                "QUEUE_NAME", "emails",
                "QUEUE_TABLE", "jobs");

        assertThat(NsjEnvironment.of(others).orElseThrow().storageUrl()).isEqualTo(read().storageUrl());
    }

    @Test
    void theTableMayNameItsSchema() {
        variables.put("QUEUE_TABLE", "work.jobs");

        assertThat(read().storageUrl()).endsWith("&schema=work&prefix=jobs_");
    }

    @ParameterizedTest
    @CsvSource({
        "postgres,    jdbc:postgresql://db.example.org:5432/shop?user=ada&password=secret&prefix=jobs_",
        "MYSQL,       jdbc:mysql://db.example.org:5432/shop?user=ada&password=secret&prefix=jobs_",
        "SINGLE_STORE, jdbc:mysql://db.example.org:5432/shop?user=ada&password=secret&prefix=jobs_&portable=true",
        "SINGLESTORE, jdbc:mysql://db.example.org:5432/shop?user=ada&password=secret&prefix=jobs_&portable=true"
    })
    void theDriverDecidesWhichDatabaseItIs(String driver, String url) { // N2
        variables.put("DB_DRIVER", driver);

        assertThat(read().storageUrl()).isEqualTo(url);
    }

    @Test
    void inClientServerModeTheServerSignals() { // N48
        variables.putAll(
                Map.of("CLIENT_SERVER_MODE", "True", "SERVER_HOST", "10.0.0.7", "NOTIFY_SERVICE_PORT", "9000"));

        assertThat(read().storageUrl()).endsWith("&prefix=jobs_&signals=http://10.0.0.7:9000");
        assertThat(read().databaseUrl()).doesNotContain("signals");
        assertThat(read().serverHost()).isEqualTo("10.0.0.7");
        assertThat(read().serverPort()).isEqualTo(9000);
    }

    @Test
    void theServerIsOnThisMachineUnlessTheySayOtherwise() {
        variables.put("CLIENT_SERVER_MODE", "true");

        assertThat(read().storageUrl()).endsWith("&signals=http://127.0.0.1:8770");
    }

    @Test
    void theMinutesOfThePurgeAreTheirs() {
        assertThat(read().purge()).isEqualTo(PurgeOptions.standard());

        variables.put("QUEUE_MINUTE_PURGE_THREAD", "0,5,10");

        assertThat(read().purge()).isEqualTo(PurgeOptions.standard().minutes(0, 5, 10));
    }

    @Test
    void minutesThatAreNoneAreNamed() {
        variables.put("QUEUE_MINUTE_PURGE_THREAD", "61");

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> read().purge())
                .withMessageContaining("QUEUE_MINUTE_PURGE_THREAD must be of 0 to 59, was 61");
    }

    @Test
    void aPasswordMayHaveAnyCharacters() {
        variables.put("DB_PASS", "a&b=c d%");

        assertThat(read().storageUrl()).contains("&password=a%26b%3Dc+d%25&");
    }

    @Test
    void withoutAHostAndATableTheySayNothing() {
        variables.keySet().removeAll(List.of("DB_HOST", "QUEUE_TABLE"));

        assertThat(NsjEnvironment.of(variables)).isEmpty();
    }

    @Test
    void aHostThatIsMissingIsNamedToo() { // N56
        variables.keySet().removeAll(List.of("DB_HOST", "DB_PASS"));

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(this::read)
                .withMessageContaining("not DB_HOST or DATABASE_HOST, DB_PASS or DATABASE_PASS;");
    }

    @Test
    void aQueueHasTheHabitsOfNsj() {
        assertThat(read().queueOptions()).isEqualTo(QueueOptions.nsj());
        assertThat(read().webhookTimeout()).isEmpty();
        assertThat(read().stage()).isEqualTo("DEV");
    }

    @Test
    void theyChangeTheHabits() {
        variables.putAll(Map.of(
                "QUEUE_MAX_RETRY", "7",
                "QUEUE_BASE_INTERVAL_RETRY", "2",
                "QUEUE_PURGE_MAX_AGE", "3",
                "DEFAULT_WEBHOOK_TIMEOUT", "9",
                "ENV", "PROD"));

        QueueOptions options = read().queueOptions();

        assertThat(options.retry().exhausted(6, 0)).isFalse();
        assertThat(options.retry().exhausted(6, 1)).isTrue();
        assertThat(options.retry().backoff().delay(4, 0.5)).isEqualTo(Duration.ofMinutes(8));
        assertThat(options.retry().anchor()).isEqualTo(RetryPolicy.Anchor.DUE);
        assertThat(options.exhaustion()).isEqualTo(Exhaustion.DEAD_HANDLER);
        assertThat(options.retention())
                .isEqualTo(Retention.all(Duration.ofDays(3)).donePayload(Retention.DonePayload.KEEP));
        assertThat(read().webhookTimeout()).contains(Duration.ofSeconds(9));
        assertThat(read().stage()).isEqualTo("PROD");
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_MAX_RETRY,           0",
        "QUEUE_MAX_RETRY,           many",
        "QUEUE_BASE_INTERVAL_RETRY, -5",
        "QUEUE_PURGE_MAX_AGE,       0",
    })
    void aHabitThatIsNoneIsNamed(String name, String value) {
        variables.put(name, value);

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> read().queueOptions())
                .withMessageContaining(name + " must be")
                .withMessageContaining("'" + value + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "601", "soon"})
    void aTimeThatNoWebhookCanHaveIsNamed(String seconds) {
        variables.put("DEFAULT_WEBHOOK_TIMEOUT", seconds);

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> read().webhookTimeout())
                .withMessageContaining("DEFAULT_WEBHOOK_TIMEOUT must be")
                .withMessageContaining("'" + seconds + "'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a.b.c", "fila-teste", "1fila", "fila&x=y", ".fila", "a_name_of_forty_characters_is_one_too_long"
            })
    void aTableThatNoPrefixCanBeMadeOfIsNamed(String table) {
        variables.put("QUEUE_TABLE", table);

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> read().storageUrl())
                .withMessageContaining("QUEUE_TABLE must be a table or schema.table")
                .withMessageContaining("'" + table + "'");
    }

    @Test
    void allThatAreMissingAreNamedAtOnce() {
        variables.keySet().removeAll(List.of("DB_PORT", "DB_USER", "QUEUE_TABLE"));

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(this::read)
                .withMessageContaining("not DB_PORT or DATABASE_PORT, DB_USER or DATABASE_USER, QUEUE_TABLE;")
                .withMessageNotContaining("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "DB_DRIVER,           oracle, DB_DRIVER or DATABASE_DRIVER must be POSTGRES",
        "DB_PORT,             five,   DB_PORT or DATABASE_PORT must be a number",
        "NOTIFY_SERVICE_PORT, five,   NOTIFY_SERVICE_PORT must be a number",
    })
    void aWrongOneIsNamed(String name, String value, String words) {
        variables.putAll(Map.of("CLIENT_SERVER_MODE", "true", name, value));

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> read().storageUrl())
                .withMessageContaining(words)
                .withMessageContaining("'" + value + "'");
    }

    @Test
    void aPasswordThatMySqlsUrlCannotHaveIsRefusedAndNotShown() {
        variables.putAll(Map.of("DB_DRIVER", "MYSQL", "DB_PASS", "a&b"));

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> read().storageUrl())
                .withMessageContaining("DB_PASS or DATABASE_PASS has a &")
                .withMessageNotContaining("a&b");
    }
}
