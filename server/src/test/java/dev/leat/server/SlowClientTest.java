package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.queue.QueueOptions;
import dev.leat.server.internal.limits.ConnectionLimits;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that would keep a connection for ever by sending little, or by being many. */
@Tag("jvm")
class SlowClientTest {
    private static final Duration REQUEST = Duration.ofMillis(500);
    private static final Duration IDLE = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    private Leat leat;
    private LeatServer server;

    @BeforeEach
    void start() {
        leat = Leat.open("memory:");
        leat.queue("q").create(QueueOptions.standard());
        server = start(ServerOptions.builder());
    }

    private LeatServer start(ServerOptions.Builder options) {
        return LeatServer.start(
                leat,
                options.port(0)
                        .requestTimeout(REQUEST)
                        .idleTimeout(IDLE)
                        .longestWait(IDLE.minusMillis(500))
                        .build());
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    @Test
    void headersThatComeByteByByteAreNotWaitedFor() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send("GET /v1/queues HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");

            assertThat(client.sendUntilClosed("x")).isBetween(REQUEST.dividedBy(2), IDLE);
        }
    }

    @Test
    void whoConnectsAndSaysNothingIsLetGo() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            long began = System.nanoTime();

            assertThat(client.line()).isNull();

            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(IDLE);
        }
    }

    @Test
    void aBodyThatComesByteByByteIsNotWaitedFor() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send("POST /v1/queues/q/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 100000\r\n\r\n{");

            assertThat(client.sendUntilClosed("x")).isBetween(REQUEST.dividedBy(2), IDLE);
        }
        assertThat(leat.queue("q").stats().live()).isZero();
    }

    @Test
    void theRestOfARefusedBodyIsNotWaitedForEither() throws IOException {
        TokenFile tokens = new TokenFile(folder.resolve("tokens.json"));
        tokens.create("shop", Set.of(Role.PRODUCE), List.of(), Optional.empty());
        try (LeatServer closed = start(ServerOptions.builder().tokens(tokens.path()));
                RawClient client = new RawClient(closed.port())) {
            client.send("POST /v1/queues/q/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 100000\r\n\r\n{");
            assertThat(client.line()).startsWith("HTTP/1.1 401 ");

            assertThat(client.sendUntilClosed("x")).isLessThan(IDLE);
        }
    }

    @Test
    void theNextHeadersMayComeLaterButNotForEver() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(client.line()).startsWith("HTTP/1.1 200 ");
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");

            assertThat(client.sendUntilClosed("x")).isBetween(IDLE.dividedBy(2), IDLE.multipliedBy(3));
        }
    }

    @Test
    void whoWaitsForATaskIsNotSlow() {
        Duration wait = REQUEST.multipliedBy(2);
        Client client = new Client(server.port());
        CompletableFuture<Client.Answer> taken =
                client.start("POST", "/v1/queues/q/take", "{\"wait\": \"" + wait.toMillis() + "ms\"}");

        assertThat(Client.join(taken).is(200).body().get("tasks")).isEmpty();
    }

    @Test
    void aWebSocketIsNotSlow() {
        ConnectionLimits connections = new ConnectionLimits(10, Duration.ofNanos(1), Duration.ofNanos(1));
        Vertx vertx = Vertx.vertx();
        try {
            HttpServer echo = vertx.createHttpServer()
                    .connectionHandler(connections::opened)
                    .requestHandler(request -> {
                        connections.asked(request);
                        request.toWebSocket().onSuccess(socket -> socket.textMessageHandler(socket::writeTextMessage));
                    })
                    .listen(0, "127.0.0.1")
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            CompletableFuture<CharSequence> heard = new CompletableFuture<>();
            WebSocket socket = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("ws://127.0.0.1:" + echo.actualPort()), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean isLast) {
                            heard.complete(text);
                            return CompletableFuture.completedStage(null);
                        }
                    })
                    .join();

            connections.closeSlow();
            socket.sendText("still there", true).join();

            assertThat(heard.orTimeout(20, TimeUnit.SECONDS).join()).hasToString("still there");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void aConnectionTooManyIsClosed() throws IOException {
        try (LeatServer small = start(ServerOptions.builder().mostConnections(2))) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                RawClient client = new RawClient(small.port());
                clients.add(client);
                assertThat(isAnswered(client)).isTrue();
            }
            try (RawClient third = new RawClient(small.port())) {
                assertThat(isAnswered(third)).isFalse();
            }
            clients.get(0).close();

            await().until(() -> {
                try (RawClient next = new RawClient(small.port())) {
                    return isAnswered(next);
                }
            });
            clients.get(1).close();
        }
    }

    @Test
    void thePlaceOfAWebSocketIsFreeWhenItHasEnded() throws Exception {
        try (LeatServer small = start(ServerOptions.builder().mostConnections(2))) {
            for (int i = 0; i < 5; i++) {
                RawSocket socket = openAgain(small.port());
                socket.vanish();
            }

            await().until(() -> {
                try (RawClient next = new RawClient(small.port())) {
                    return isAnswered(next);
                }
            });
        }
    }

    /** The server may not have noticed the end of the last one yet. */
    private static RawSocket openAgain(int port) {
        AtomicReference<RawSocket> opened = new AtomicReference<>();
        await().ignoreExceptions().until(() -> {
            opened.set(RawSocket.open(port));
            return true;
        });
        return opened.get();
    }

    private static boolean isAnswered(RawClient client) throws IOException {
        try {
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
            return "HTTP/1.1 200 OK".equals(client.line());
        } catch (SocketException e) {
            return false;
        }
    }

    @Test
    void headersThatAreTooLargeAreRefused() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            client.send("GET /v1/queues HTTP/1.1\r\nHost: localhost\r\nX-Large: " + "x".repeat(20_000) + "\r\n\r\n");

            assertThat(client.line()).startsWith("HTTP/1.1 431 ");
        }
        try (RawClient client = new RawClient(server.port())) {
            client.send("GET /v1/queues/" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");

            assertThat(client.line()).contains(" 414 ");
        }
    }
}
