package dev.leat.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.wire.Cbor;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A WebSocket as a program in another language would use it. */
final class RawSocket implements WebSocket.Listener, AutoCloseable {
    private static final long SECONDS = 20;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final BlockingQueue<JsonNode> received = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
    private final WebSocket socket;
    private long numbers;

    private RawSocket(int port, String query, String token) {
        WebSocket.Builder builder = HTTP.newWebSocketBuilder();
        if (!token.isEmpty()) {
            builder.header("Authorization", "Bearer " + token);
        }
        socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + port + "/v1/consume" + query), this)
                .join();
    }

    static RawSocket open(int port) {
        return new RawSocket(port, "", "");
    }

    static RawSocket open(int port, String query) {
        return new RawSocket(port, query, "");
    }

    static RawSocket with(int port, String token) {
        return new RawSocket(port, "", token);
    }

    /** Asks, and waits for the answer; what else comes meanwhile is passed over. */
    JsonNode ask(String op, ObjectNode map) throws Exception {
        long number = send(op, map);
        JsonNode answer = next();
        while (answer.path("id").longValue() != number) {
            answer = next();
        }
        return answer;
    }

    long send(String op, ObjectNode map) {
        numbers++;
        send(Cbor.write(List.of(map.put("id", numbers).put("op", op))));
        return numbers;
    }

    void send(byte[] message) {
        socket.sendBinary(ByteBuffer.wrap(message), true).join();
    }

    void sendText(String text) {
        socket.sendText(text, true).join();
    }

    /** The next map that came. */
    JsonNode next() throws InterruptedException {
        JsonNode map = received.poll(SECONDS, TimeUnit.SECONDS);
        if (map == null) {
            throw new AssertionError("nothing came for " + SECONDS + " s");
        }
        return map;
    }

    /** The next map that comes within a moment, or null. */
    JsonNode poll() throws InterruptedException {
        return received.poll(50, TimeUnit.MILLISECONDS);
    }

    /** Lets nobody know. */
    void vanish() {
        socket.abort();
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket unused, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        parts.writeBytes(bytes);
        if (last) {
            received.addAll(Cbor.read(parts.toByteArray()));
            parts.reset();
        }
        unused.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket unused, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket unused, Throwable error) {
        closed.completeExceptionally(error);
    }

    @Override
    public void close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").whenComplete((done, e) -> socket.abort());
    }
}
