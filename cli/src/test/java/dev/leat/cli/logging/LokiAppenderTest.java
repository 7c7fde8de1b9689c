package dev.leat.cli.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.error.InvalidRequestException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log on its way to Loki, over real sockets. */
@Timeout(60)
class LokiAppenderTest {
    private final LoggerContext context = new LoggerContext();
    private final Logger logger = context.getLogger("dev.leat.test");
    private LokiServer loki;
    private LokiAppender appender;

    @BeforeEach
    void start() throws IOException {
        context.setMDCAdapter(new LogbackMDCAdapter());
        loki = new LokiServer();
        start(loki.url());
    }

    private void start(String url) {
        appender = new LokiAppender(LokiPush.to(url, Map.of("application", "leat", "command", "test")));
        appender.setContext(context);
        appender.start();
        logger.detachAndStopAllAppenders();
        logger.addAppender(appender);
    }

    @AfterEach
    void stop() {
        appender.stop();
        loki.close();
    }

    private List<String> messages() {
        return loki.lines().stream()
                .filter(line -> line.has("message"))
                .map(line -> line.get("message").textValue())
                .toList();
    }

    private long dropped() {
        return loki.lines().stream()
                .mapToLong(line -> line.path("dropped").longValue())
                .sum();
    }

    @Test
    void linesArriveAsJsonWithTheirLevelAsLabel() {
        Instant before = Instant.now().minusMillis(1);
        logger.warn("the {} is {}", "sky", "blue");
        logger.error("it failed", new IllegalStateException("so it is"));

        await().until(() -> loki.lines().size() == 2);

        JsonNode streams = loki.pushes().get(0).get("streams");
        JsonNode first = streams.get(0);
        assertThat(first.get("stream").toString()).contains("\"application\":\"leat\"", "\"command\":\"test\"");
        assertThat(first.get("stream").get("level").textValue()).isEqualTo("warn");
        long nanos = Long.parseLong(first.get("values").get(0).get(0).textValue());
        assertThat(Instant.ofEpochSecond(0, nanos)).isBetween(before, Instant.now());
        JsonNode line = loki.lines().get(0);
        assertThat(line.get("message").textValue()).isEqualTo("the sky is blue");
        assertThat(line.get("logger").textValue()).isEqualTo("dev.leat.test");
        assertThat(Instant.parse(line.get("time").textValue())).isBetween(before, Instant.now());
        assertThat(loki.lines().get(1).get("error").textValue()).contains("so it is", "LokiAppenderTest");
    }

    @Test
    void manyLinesAreFewPushes() {
        for (int i = 0; i < 1_500; i++) {
            logger.info("{}", i);
        }

        await().until(() -> messages().size() == 1_500);
        assertThat(loki.pushes()).hasSizeLessThan(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 503, 429})
    void whileLokiIsAwayLinesWait(int status) {
        loki.answer(status);
        logger.warn("before");
        await().until(() -> loki.requests() >= 2);
        logger.warn("meanwhile");
        loki.answer(204);

        await().until(() -> messages().size() == 2);
        assertThat(messages()).containsExactly("before", "meanwhile");
        assertThat(dropped()).isZero();
    }

    @Test
    void aLongMessageIsCutAndStaysJson() {
        logger.info("x".repeat(100_000));

        await().until(() -> messages().size() == 1);
        assertThat(messages().get(0)).hasSizeLessThan(10_000).endsWith("x…");
    }

    @Test
    void whatDoesNotFitIsDroppedAndCountedAndNobodyWaits() {
        CountDownLatch gate = loki.hold();
        logger.info("first");
        await().until(() -> loki.requests() == 1);

        int more = 4 * LokiAppender.MOST_WAITING;
        long began = System.nanoTime();
        for (int i = 0; i < more; i++) {
            logger.info("{}", i);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        gate.countDown();

        assertThat(took).isLessThan(Duration.ofSeconds(3)); // Loki would have let them wait for longer
        await().until(() -> messages().size() + dropped() == more + 1);
        assertThat(messages()).hasSizeLessThan(2 * LokiAppender.MOST_WAITING);
        logger.info("afterwards");
        await().until(() -> messages().contains("afterwards"));
        assertThat(messages().size() + dropped()).isEqualTo(more + 2);
    }

    @Test
    void whatLokiRefusesIsNotTriedAgainButCounted() {
        loki.answer(400);
        logger.info("bad");
        await().until(() -> loki.requests() == 1);
        loki.answer(204);
        logger.info("good");

        await().until(() -> messages().contains("good"));
        assertThat(messages()).doesNotContain("bad");
        assertThat(dropped()).isEqualTo(1);
    }

    @Test
    void theEndShipsWhatIsLeft() {
        for (int i = 0; i < 1_800; i++) {
            logger.info("{}", i);
        }

        appender.stop();

        assertThat(messages()).hasSize(1_800);
    }

    @Test
    void anEndWithoutLokiTakesSomeSecondsAtMost() {
        loki.close();
        logger.info("lost");
        long began = System.nanoTime();

        appender.stop();

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(12));
    }

    @Test
    void aPasswordInTheAddressIsUsedAndNotShown() {
        String url = loki.url().replace("http://", "http://ada:secret@");
        start(url + "/loki/api/v1/push");
        logger.info("x");

        await().until(() -> messages().contains("x"));

        assertThat(loki.lastAuthorization()).isEqualTo("Basic YWRhOnNlY3JldA==");
        assertThat(LokiPush.to(url, Map.of()).target()).hasToString(loki.url() + "/loki/api/v1/push");
    }

    @ParameterizedTest
    @ValueSource(strings = {"loki", "ftp://loki:3100", "http://", "http://a b", "3100"})
    void anAddressThatIsNoneIsRefused(String url) {
        assertThatThrownBy(() -> LokiPush.to(url, Map.of()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("GRAFANA_URL must be the address of Loki");
    }
}
