package dev.leat.cli.logging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Takes what is pushed to it as Loki does, as far as it is told to. */
public final class LokiServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final List<JsonNode> pushes = new CopyOnWriteArrayList<>();
    private volatile int status = 204;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile int requests;
    private volatile String lastAuthorization = "";

    public LokiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/loki/api/v1/push", this::take);
        server.setExecutor(threads);
        server.start();
    }

    private synchronized void count() {
        requests++;
    }

    private void take(HttpExchange exchange) throws IOException {
        count();
        JsonNode body = JSON.readTree(exchange.getRequestBody());
        List<String> authorization = exchange.getRequestHeaders().getOrDefault("Authorization", List.of(""));
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        lastAuthorization = authorization.get(0);
        if (status == 204) {
            pushes.add(body);
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void answer(int newStatus) {
        status = newStatus;
    }

    /** Answers nobody before the gate opens. */
    CountDownLatch hold() {
        gate = new CountDownLatch(1);
        return gate;
    }

    int requests() {
        return requests;
    }

    String lastAuthorization() {
        return lastAuthorization;
    }

    public List<JsonNode> pushes() {
        return pushes;
    }

    /** The lines it has taken, in the order of the pushes. */
    public List<JsonNode> lines() {
        List<JsonNode> lines = new ArrayList<>();
        for (JsonNode push : pushes) {
            push.get("streams").forEach(stream -> stream.get("values").forEach(value -> {
                try {
                    lines.add(JSON.readTree(value.get(1).textValue()));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
        }
        return lines;
    }

    @Override
    public void close() {
        gate.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
