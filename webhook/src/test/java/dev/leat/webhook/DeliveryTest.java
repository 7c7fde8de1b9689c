package dev.leat.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leat.Payload;
import dev.leat.error.ClosedException;
import dev.leat.testkit.ManualClock;
import dev.leat.webhook.DeliveryException.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is sent to receivers that behave, and what is not sent to those that fail. */
class DeliveryTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String BAD = "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n";
    private static final Message MESSAGE = new Message("msg_1", Payload.of("{\"ü\":1}".getBytes(), Payload.JSON));

    private final ManualClock clock = new ManualClock();
    private final WebhookSender sender =
            WebhookSender.builder().allowNetwork("127.0.0.1").clock(clock).build();

    @AfterEach
    void close() {
        sender.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Endpoint.Method.class,
            names = {"POST", "PUT", "PATCH"})
    void methodsWithABodySendThePayload(Endpoint.Method method) throws IOException { // N34, N35
        try (ScriptedServer server = ScriptedServer.answering(OK)) {
            sender.send(endpoint(server).method(method).build(), MESSAGE);

            ScriptedServer.Request request = server.requests().get(0);
            assertThat(request.line()).isEqualTo(method + " /hook?a=b HTTP/1.1");
            assertThat(request.body()).isEqualTo(MESSAGE.payload().bytes());
            assertThat(request.header("Content-Type")).isEqualTo("application/json");
            assertThat(request.header("Content-Length")).isEqualTo("8");
            assertThat(request.header("Host")).isEqualTo("127.0.0.1:" + server.port());
            assertThat(request.header("webhook-id")).isEqualTo("msg_1");
            assertThat(request.header("webhook-timestamp"))
                    .isEqualTo(Long.toString(clock.instant().getEpochSecond()));
            assertThat(request.header("webhook-signature")).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Endpoint.Method.class,
            names = {"GET", "DELETE"})
    void othersDoNot(Endpoint.Method method) throws IOException { // N34, N35
        try (ScriptedServer server = ScriptedServer.answering(OK)) {
            sender.send(endpoint(server).method(method).build(), MESSAGE);

            ScriptedServer.Request request = server.requests().get(0);
            assertThat(request.line()).isEqualTo(method + " /hook?a=b HTTP/1.1");
            assertThat(request.headers()).doesNotContainKeys("Content-Length", "Content-Type", "Transfer-Encoding");
        }
    }

    private static Endpoint.Builder endpoint(ScriptedServer server) {
        return Endpoint.builder(server.url("127.0.0.1", "/hook?a=b"));
    }

    @Test
    void anEmptyPayloadIsABodyOfNoBytes() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(OK)) {
            sender.send(endpoint(server).build(), new Message("msg_2", Payload.empty()));

            assertThat(server.requests().get(0).header("Content-Length")).isEqualTo("0");
        }
    }

    @Test
    void headersOfTheEndpointGoFirst() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(OK)) {
            Endpoint endpoint = endpoint(server)
                    .header("Authorization", "Bearer abc")
                    .header("content-type", "application/vnd.example+json")
                    .header("USER-AGENT", "Example")
                    .build();

            sender.send(endpoint, MESSAGE);

            ScriptedServer.Request request = server.requests().get(0);
            assertThat(request.header("Authorization")).isEqualTo("Bearer abc");
            assertThat(request.header("Content-Type")).isEqualTo("application/vnd.example+json");
            assertThat(request.header("User-Agent")).isEqualTo("Example");
        }
    }

    @Test
    void aMessageThatIsSentAgainKeepsItsIdAndHasANewTime() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(OK)) {
            sender.send(endpoint(server).build(), MESSAGE);
            clock.advance(Duration.ofHours(1));
            sender.send(endpoint(server).build(), MESSAGE);

            assertThat(server.requests())
                    .extracting(request -> request.header("webhook-id"))
                    .containsExactly("msg_1", "msg_1");
            assertThat(server.requests().get(1).header("webhook-timestamp"))
                    .isEqualTo(Long.toString(clock.instant().getEpochSecond()));
        }
    }

    @Test
    void secretsAreNotTold() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(BAD)) {
            Endpoint endpoint = Endpoint.builder(server.url("127.0.0.1", "/hook?token=s3cret"))
                    .header("Authorization", "s3cret")
                    .secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
                    .build();

            assertThat(fail(endpoint))
                    .hasMessage("POST http://127.0.0.1:" + server.port() + "/hook?token=… answered 500");
            assertThat(endpoint.toString()).doesNotContain("s3cret", "MfKQ");
        }
    }

    private DeliveryException fail(Endpoint endpoint) {
        return catchThrowableOfType(DeliveryException.class, () -> sender.send(endpoint, MESSAGE));
    }

    @Test
    void aReceiverThatKeepsFailingIsPaused() throws IOException {
        try (ScriptedServer bad = ScriptedServer.answering(BAD);
                ScriptedServer good = ScriptedServer.answering(OK)) {
            Endpoint failing = Endpoint.of(bad.url());
            for (int i = 0; i < 5; i++) {
                assertThat(fail(failing).reason()).isEqualTo(Reason.ANSWERED);
            }

            DeliveryException held = fail(failing);

            assertThat(held.reason()).isEqualTo(Reason.HELD_BACK);
            assertThat(held.retry()).isTrue();
            assertThat(held.status()).isEmpty();
            assertThat(held.retryAfter().orElseThrow()).isBetween(Duration.ofSeconds(27), Duration.ofSeconds(33));
            assertThat(held).hasMessageContaining("its last 5 calls failed; again in");
            assertThat(bad.connections()).isEqualTo(5);

            assertThat(sender.send(Endpoint.of(good.url()), MESSAGE).status()).isEqualTo(200);

            clock.advance(Duration.ofSeconds(33));
            assertThat(fail(failing).reason()).isEqualTo(Reason.ANSWERED);
            assertThat(fail(failing).retryAfter().orElseThrow())
                    .isBetween(Duration.ofSeconds(54), Duration.ofSeconds(66));
        }
    }

    @Test
    void goneDoesNotPause() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n")) {
            for (int i = 0; i < 10; i++) {
                assertThat(fail(Endpoint.of(server.url())).gone()).isTrue();
            }
        }
    }

    @Test
    void aSlowReceiverHoldsUpNeitherCallersNorOthers() throws Exception {
        CountDownLatch received = new CountDownLatch(4);
        CountDownLatch answer = new CountDownLatch(1);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (ScriptedServer slow = ScriptedServer.start(c -> {
                    c.readRequest();
                    received.countDown();
                    answer.await();
                    c.send(OK);
                });
                ScriptedServer good = ScriptedServer.answering(OK)) {
            List<Future<Delivery>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                running.add(threads.submit(() -> sender.send(Endpoint.of(slow.url()), MESSAGE)));
            }
            assertThat(received.await(10, TimeUnit.SECONDS)).isTrue();

            DeliveryException held = fail(Endpoint.of(slow.url()));
            assertThat(held.reason()).isEqualTo(Reason.HELD_BACK);
            assertThat(held.retryAfter()).contains(Duration.ofSeconds(1));
            assertThat(sender.send(Endpoint.of(good.url()), MESSAGE).status()).isEqualTo(200);

            answer.countDown();
            for (Future<Delivery> each : running) {
                assertThat(each.get(10, TimeUnit.SECONDS).status()).isEqualTo(200);
            }
            assertThat(sender.send(Endpoint.of(slow.url()), MESSAGE).status()).isEqualTo(200);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void proxiesOfTheJvmAreNotUsed() throws IOException {
        Map<String, String> proxies = Map.of(
                "socksProxyHost", "127.0.0.1",
                "socksProxyPort", "1",
                "socksNonProxyHosts", "",
                "http.proxyHost", "127.0.0.1",
                "http.proxyPort", "1",
                "http.nonProxyHosts", "");
        try (ScriptedServer server = ScriptedServer.answering(OK)) {
            proxies.forEach(System::setProperty);

            assertThat(sender.send(Endpoint.of(server.url()), MESSAGE).status()).isEqualTo(200);
        } finally {
            proxies.keySet().forEach(System::clearProperty);
        }
    }

    @Test
    void aClosedSenderSendsNothing() {
        sender.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> sender.send(Endpoint.of("http://127.0.0.1"), MESSAGE));
    }
}
