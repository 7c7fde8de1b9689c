package dev.leat.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leat.Payload;
import dev.leat.testkit.ManualClock;
import dev.leat.webhook.DeliveryException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers that do not do what they should, on real sockets. */
class MisbehavingReceiverTest {
    private static final Message MESSAGE = new Message("msg_1", Payload.of("{\"a\":1}".getBytes(), Payload.JSON));
    private static final Duration SHORT = Duration.ofMillis(400);
    /** What ends by itself ends long before this. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private final ManualClock clock = new ManualClock();
    private final WebhookSender sender = WebhookSender.builder()
            .allowNetwork("127.0.0.0/8")
            .connectTimeout(Duration.ofMillis(400))
            .clock(clock)
            .build();

    @AfterEach
    void close() {
        sender.close();
    }

    private Delivery send(ScriptedServer server, Duration timeout) {
        return sender.send(Endpoint.builder(server.url()).timeout(timeout).build(), MESSAGE);
    }

    private DeliveryException fail(ScriptedServer server, Duration timeout) {
        return catchThrowableOfType(DeliveryException.class, () -> send(server, timeout));
    }

    private DeliveryException failAtTheTimeout(ScriptedServer server) {
        long start = System.nanoTime();
        DeliveryException e = fail(server, SHORT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SHORT, SHORT.plusSeconds(5));
        assertThat(e.reason()).isEqualTo(Reason.NO_ANSWER);
        assertThat(e.retry()).isTrue();
        return e;
    }

    private DeliveryException failEarly(ScriptedServer server) {
        long start = System.nanoTime();
        DeliveryException e = fail(server, LONG);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LONG.dividedBy(2));
        assertThat(e.reason()).isEqualTo(Reason.NO_ANSWER);
        assertThat(e.retry()).isTrue();
        assertThat(e.status()).isEmpty();
        return e;
    }

    // Slow ones

    @Test
    void noAnswerEndsAtTheTimeout() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer.Connection::untilClientLeaves)) {
            assertThat(failAtTheTimeout(server)).hasMessageContaining("no answer in time");
        }
    }

    @Test
    void aHeadThatDripsEndsAtTheTimeout() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 200 OK\r\nX-Slow: ");
            c.dripForEver("a");
        })) {
            failAtTheTimeout(server);
        }
    }

    @Test
    void aBodyThatDripsEndsAtTheTimeoutAndTheStatusCounts() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
            c.dripForEver("a");
        })) {
            Delivery delivery = send(server, SHORT);

            assertThat(delivery.status()).isEqualTo(200);
            assertThat(delivery.truncated()).isTrue();
            assertThat(delivery.answer().text()).startsWith("aa");
            assertThat(delivery.took()).isBetween(SHORT, SHORT.plusSeconds(5));
        }
    }

    @Test
    void theBodyOfAFailureThatDripsEndsAtTheTimeout() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 500 Oh\r\n\r\n");
            c.dripForEver("b");
        })) {
            DeliveryException e = fail(server, SHORT);

            assertThat(e.status()).hasValue(500);
            assertThat(e).hasMessageContaining("500: bb");
        }
    }

    @Test
    void aReceiverThatDoesNotReadEndsAtTheTimeout() throws IOException {
        Message large = new Message("msg_2", Payload.of(new byte[Payload.MAX_BYTES]));
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Endpoint endpoint = Endpoint.builder("http://127.0.0.1:" + server.getLocalPort())
                    .timeout(SHORT)
                    .build();

            DeliveryException e = catchThrowableOfType(DeliveryException.class, () -> sender.send(endpoint, large));

            assertThat(e).hasMessageContaining("no answer in time");
        }
    }

    @Test
    void aServerThatNeverAcceptsEndsAtTheConnectTimeout() throws IOException {
        List<Socket> crowd = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fillTheBacklog(server, crowd);

            DeliveryException e = catchThrowableOfType(
                    DeliveryException.class,
                    () -> sender.send(Endpoint.of("http://127.0.0.1:" + server.getLocalPort()), MESSAGE));

            assertThat(e.reason()).isEqualTo(Reason.NO_ANSWER);
            assertThat(e).hasMessageContaining("no connection");
        } finally {
            for (Socket socket : crowd) {
                socket.close();
            }
        }
    }

    private static void fillTheBacklog(ServerSocket server, List<Socket> crowd) throws IOException {
        while (true) {
            Socket socket = new Socket();
            crowd.add(socket);
            try {
                socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 200);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }

    // Those that say too much

    @Test
    void aHugeAnswerIsCutOffAndCounts() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 200 OK\r\n\r\n");
            c.sendForEver("x".repeat(10_000));
        })) {
            Delivery delivery = send(server, LONG);

            assertThat(delivery.status()).isEqualTo(200);
            assertThat(delivery.truncated()).isTrue();
            assertThat(delivery.answer().size()).isEqualTo(64 * 1024);
            assertThat(delivery.took()).isLessThan(LONG.dividedBy(2));
        }
    }

    @Test
    void anAnswerOfExactlyTheLimitIsWhole() throws IOException {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + "x".repeat(64 * 1024))) {
            Delivery delivery = send(server, LONG);

            assertThat(delivery.truncated()).isFalse();
            assertThat(delivery.answer().size()).isEqualTo(64 * 1024);
        }
    }

    @Test
    void headersWithoutEndEndIt() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 200 OK\r\n");
            c.sendForEver("X-More: of the same\r\n");
        })) {
            failEarly(server);
        }
    }

    @Test
    void aHundredHeadersAreEnough() throws IOException {
        try (ScriptedServer most = ScriptedServer.answering("HTTP/1.1 204 Ok\r\n" + "X: y\r\n".repeat(100) + "\r\n");
                ScriptedServer more =
                        ScriptedServer.answering("HTTP/1.1 204 Ok\r\n" + "X: y\r\n".repeat(101) + "\r\n")) {
            assertThat(send(most, LONG).status()).isEqualTo(204);
            assertThat(failEarly(more)).hasMessageContaining("header count");
        }
    }

    @Test
    void aHeaderWithoutEndEndsIt() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 200 OK\r\nX-Long: ");
            c.sendForEver("a".repeat(1000));
        })) {
            failEarly(server);
        }
    }

    @Test
    void aFloodOfInterimAnswersEndsIt() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.sendForEver("HTTP/1.1 102 Processing\r\n\r\n");
        })) {
            assertThat(failEarly(server)).hasMessageContaining("interim");
        }
    }

    @Test
    void aFewInterimAnswersArePassedOver() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(
                "HTTP/1.1 100 Continue\r\n\r\n"
                        + "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")) {
            Delivery delivery = send(server, LONG);

            assertThat(delivery.status()).isEqualTo(201);
            assertThat(delivery.answer().text()).isEqualTo("ok");
        }
    }

    @Test
    void whatIsCompressedStaysSo() throws IOException {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
            gzip.write(new byte[20_000_000]);
        }
        String head = "Content-Encoding: gzip\r\nContent-Length: " + bomb.size() + "\r\n\r\n";
        try (ScriptedServer good = ScriptedServer.start(c -> {
                    c.readRequest();
                    c.send("HTTP/1.1 200 OK\r\n" + head);
                    c.send(bomb.toByteArray());
                });
                ScriptedServer bad = ScriptedServer.start(c -> {
                    c.readRequest();
                    c.send("HTTP/1.1 500 No\r\n" + head);
                    c.send(bomb.toByteArray());
                })) {
            assertThat(send(good, LONG).answer().bytes()).isEqualTo(bomb.toByteArray());
            assertThat(good.requests().get(0).header("Accept-Encoding")).isEqualTo("identity");
            assertThat(fail(bad, LONG)).hasMessageEndingWith("answered 500: (" + bomb.size() + " bytes of gzip)");
        }
    }

    // Those that break off

    @Test
    void aResetAfterAcceptFails() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer.Connection::reset)) {
            failEarly(server);
        }
    }

    @Test
    void aResetInTheHeadFails() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            c.send("HTTP/1.1 200 OK\r\nContent-Le");
            c.reset();
        })) {
            failEarly(server);
        }
    }

    @Test
    void anEndInTheBodyLeavesTheStatus() throws IOException {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nshort")) {
            Delivery delivery = send(server, LONG);

            assertThat(delivery.status()).isEqualTo(202);
            assertThat(delivery.truncated()).isTrue();
            assertThat(delivery.answer().text()).isEqualTo("short");
        }
    }

    @Test
    void bytesAfterTheBodyAreNotOfIt() throws IOException {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and then HTTP/1.1 500")) {
            assertThat(send(server, LONG).answer().text()).isEqualTo("ok");
        }
    }

    @Test
    void aLengthThatIsNoneLeavesTheStatus() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\nbody")) {
            assertThat(send(server, LONG).truncated()).isTrue();
        }
    }

    @Test
    void chunksThatAreNoneLeaveTheStatus() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nnonsense\r\n")) {
            Delivery delivery = send(server, LONG);

            assertThat(delivery.truncated()).isTrue();
            assertThat(delivery.answer().text()).isEqualTo("abc");
        }
    }

    @Test
    void aCloseWithoutAnswerFails() throws IOException {
        try (ScriptedServer server = ScriptedServer.start(ScriptedServer.Connection::readRequest)) {
            failEarly(server);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "220 mail.example ESMTP\r\n",
                "\0\1\2\3\r\n\r\n",
                "HTTP/1.1 20\r\n\r\n",
                "HTTP/1.1 000 OK\r\n\r\n",
                "HTTP/1.1 -1 OK\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 99999999999 OK\r\n\r\n",
                "HTTP/2.0 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"
            })
    void whatIsNotHttpFails(String answer) throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(answer)) {
            assertThat(failEarly(server)).hasMessageContaining("no answer in HTTP");
        }
    }

    @Test
    void nobodyThereFails() throws IOException {
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); // and not listening
            Endpoint endpoint = Endpoint.of("http://127.0.0.1:" + bound.getLocalPort());

            DeliveryException e = catchThrowableOfType(DeliveryException.class, () -> sender.send(endpoint, MESSAGE));

            assertThat(e.reason()).isEqualTo(Reason.NO_ANSWER);
            assertThat(e).hasMessageContaining("no connection: Connection refused");
        }
    }

    // What statuses mean

    @Test
    void noContentIsSuccess() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 204 No Content\r\n\r\n")) {
            Delivery delivery = send(server, LONG);

            assertThat(delivery.status()).isEqualTo(204);
            assertThat(delivery.truncated()).isFalse();
            assertThat(delivery.answer().size()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void redirectsAreFailuresAndNotFollowed(int status) throws IOException {
        try (ScriptedServer elsewhere = ScriptedServer.answering("HTTP/1.1 200 OK\r\n\r\n");
                ScriptedServer server = ScriptedServer.answering(
                        "HTTP/1.1 " + status + " Away\r\nLocation: " + elsewhere.url() + "\r\n\r\n")) {
            DeliveryException e = fail(server, LONG);

            assertThat(e.status()).hasValue(status);
            assertThat(e.retry()).isTrue();
            assertThat(server.connections()).isEqualTo(1);
            assertThat(elsewhere.connections()).isZero();
        }
    }

    @Test
    void goneIsGone() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 410 Gone\r\n\r\n")) {
            DeliveryException e = fail(server, LONG);

            assertThat(e.gone()).isTrue();
            assertThat(e.retry()).isFalse();
            assertThat(e.status()).hasValue(410);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "429 | 120                           | PT2M",
                "429 | 0                             | PT0S",
                "503 | Tue, 10 Mar 2026 12:00:30 GMT | PT30S",
                "503 | Tue, 10 Mar 2026 11:00:00 GMT | PT0S",
                "503 | 99999999                      | PT1H",
                "503 | 99999999999999999999999999999 | PT1H",
                "429 | Wed, 10 Mar 2027 12:00:00 GMT | PT1H",
                "429 | soon                          | ",
                "429 | -5                            | ",
                "500 | 120                           | "
            })
    void aReceiverMayAskForTime(int status, String header, Duration expected) throws IOException {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 " + status + " Later\r\nRetry-After: " + header + "\r\n\r\n")) {
            DeliveryException e = fail(server, LONG);

            assertThat(e.retryAfter().orElse(null)).isEqualTo(expected);
            assertThat(e.retry()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {404, 500})
    void theFirst500CharactersOfAFailureAreTold(int status) throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(
                "HTTP/1.1 " + status + " No\r\n\r\n" + "a".repeat(499) + "bc" + "d".repeat(5000))) {
            DeliveryException e = fail(server, LONG);

            assertThat(e.status()).hasValue(status);
            assertThat(e).hasMessage("POST " + server.url() + " answered " + status + ": " + "a".repeat(499) + "b");
        }
    }

    @Test
    void controlCharactersOfAnAnswerAreNotTold() throws IOException {
        try (ScriptedServer server = ScriptedServer.answering(
                "HTTP/1.1 500 No\r\n\r\none\r\n2026-03-10 ERROR forged\u001b[31m\0\u00c2\u009b\u00e2\u0080\u00aeend")) {
            assertThat(fail(server, LONG)).hasMessageEndingWith("500: one 2026-03-10 ERROR forged [31m end");
        }
    }

    @Test
    void unauthorizedIsNotAnsweredWithASecondCall() throws IOException {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\r\n")) {
            assertThat(fail(server, LONG).status()).hasValue(401);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void cookiesAreNotKept() throws IOException {
        try (ScriptedServer server =
                ScriptedServer.answering("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")) {
            send(server, LONG);
            send(server, LONG);

            assertThat(server.requests()).hasSize(2).allSatisfy(request -> assertThat(request.header("Cookie"))
                    .isNull());
        }
    }

    @Test
    void closingASenderCutsOffWhatRuns() throws Exception {
        try (ScriptedServer server = ScriptedServer.start(c -> {
            c.readRequest();
            sender.close();
            c.untilClientLeaves();
        })) {
            failEarly(server);
        }
    }
}
