package dev.leat.tenant;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** An OAuth server and a service for credentials, on this machine. The token is {@code hush.token.N}, and only the newest is good. */
final class CredentialsService implements AutoCloseable {
    static final String ANSWER =
            "{\"host\":\"db.example\",\"port\":5432,\"database\":\"shop\",\"user\":\"app\",\"password\":\"hush-db\"}";

    /** A request as it came. */
    record Request(String method, String pathAndQuery, Optional<String> authorization, String body) {}

    final List<Request> tokenRequests = new CopyOnWriteArrayList<>();
    final List<Request> requests = new CopyOnWriteArrayList<>();
    volatile int tokenStatus = 200;
    /** {@code TOKEN} stands for the token. */
    volatile String tokenAnswer = "{\"access_token\":\"TOKEN\",\"token_type\":\"Bearer\",\"expires_in\":60}";

    volatile CountDownLatch tokenGate = new CountDownLatch(0);
    volatile int status = 200;
    volatile String answer = ANSWER;
    volatile CountDownLatch gate = new CountDownLatch(0);
    /** After the first bytes of the answer. */
    volatile CountDownLatch bodyGate = new CountDownLatch(0);

    volatile int firstBytes = 1;

    private final AtomicInteger tokens = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    CredentialsService() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/token", this::answerToken);
        server.createContext("/credentials", this::answerCredentials);
        server.start();
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    OAuthGrant grant() {
        return OAuthGrant.password(url("/token"), "leat", "ada", "hush-user");
    }

    /** The newest token is good no longer. */
    void forgetToken() {
        tokens.incrementAndGet();
    }

    private void answerToken(HttpExchange exchange) throws IOException {
        tokenRequests.add(read(exchange));
        await(tokenGate);
        String token = "hush.token." + tokens.incrementAndGet();
        send(exchange, tokenStatus, tokenAnswer.replace("TOKEN", token));
    }

    private void answerCredentials(HttpExchange exchange) throws IOException {
        CountDownLatch opens = gate;
        Request request = read(exchange);
        requests.add(request);
        await(opens);
        boolean known = request.authorization().equals(Optional.of("Bearer hush.token." + tokens.get()));
        send(exchange, known ? status : 401, answer);
    }

    private static Request read(HttpExchange exchange) throws IOException {
        return new Request(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    }

    private void send(HttpExchange exchange, int code, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Location", url("/elsewhere"));
        exchange.sendResponseHeaders(code, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            int first = Math.min(firstBytes, bytes.length);
            out.write(bytes, 0, first);
            out.flush();
            await(bodyGate);
            out.write(bytes, first, bytes.length - first);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
