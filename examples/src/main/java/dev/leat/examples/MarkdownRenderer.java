package dev.leat.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.leat.Awaited;
import dev.leat.Leat;
import dev.leat.Outcome;
import dev.leat.queue.QueueOptions;
import dev.leat.worker.RunningTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Serves Markdown as web pages. A page is rendered when it is first asked for: the address of the task lets it be done once, however many ask
 * at the same moment and in however many processes, and all of them wait for the one result without holding a thread.
 */
public final class MarkdownRenderer {
    private static final Map<String, String> DOCUMENTS =
            Map.of("guide", "# A guide\n\nWork is done *once*, and **everybody** who asks gets it.\n\n- ask\n- wait");

    private final Leat leat;
    /** Cache of rendered pages; in production it would be shared by all processes, on disk or in a database. */
    private final Map<String, String> pages = new ConcurrentHashMap<>();

    private MarkdownRenderer(Leat leat) {
        this.leat = leat;
        leat.queue("pages").declare(QueueOptions.rsqueue()); // one attempt: an error is an answer as well
        leat.worker().handle("pages", String.class, this::render).concurrency(4).start();
    }

    private void render(String document, RunningTask task) {
        String markdown = DOCUMENTS.get(document);
        if (markdown == null) {
            task.fail("there is no document '" + document + "'", 404);
            return;
        }
        task.ackWith(pages.computeIfAbsent(document, name -> {
            System.out.println("Rendering " + name);
            return html(markdown);
        }));
    }

    private void serve(HttpExchange exchange) {
        String document = exchange.getRequestURI().getPath().substring(1);
        if (document.isEmpty()) {
            answer(exchange, 404, "ask for a document, such as /guide");
            return;
        }
        String page = pages.get(document);
        if (page != null) {
            answer(exchange, 200, page);
            return;
        }
        long task = leat.putAddressed("pages", document, document).id();
        var unused = leat.outcomes()
                .awaitAsync(task, Duration.ofSeconds(30))
                .thenAcceptAsync(awaited -> answer(exchange, awaited))
                .exceptionallyAsync(
                        error -> { // on another thread than the one that serves all who wait
                            answer(exchange, 503, error.toString());
                            return null;
                        });
    }

    private void answer(HttpExchange exchange, Awaited awaited) {
        Outcome outcome = awaited.ended().orElse(null);
        if (outcome == null) {
            answer(exchange, 504, "still rendering, try again");
        } else if (outcome.ok()) {
            answer(exchange, 200, leat.decode(outcome.result().orElseThrow(), String.class));
        } else {
            answer(exchange, outcome.errorCode() == 0 ? 500 : outcome.errorCode(), outcome.message());
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders()
                .set("Content-Type", (status == 200 ? "text/html" : "text/plain") + "; charset=utf-8");
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // the caller has gone
        }
    }

    /** As much of Markdown as the document needs. */
    private static String html(String markdown) {
        return markdown.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replaceAll("(?m)^# (.*)$", "<h1>$1</h1>")
                .replaceAll("(?m)^- (.*)$", "<li>$1</li>")
                .replaceAll("(?m)^(?!<)(.+)$", "<p>$1</p>")
                .replaceAll("\\*\\*(.+?)\\*\\*", "<b>$1</b>")
                .replaceAll("\\*(.+?)\\*", "<i>$1</i>");
    }

    /** Asks for a page from fifty places at once, and for one that is not there; with a port, serves until Enter. */
    public static void main(String[] args) throws Exception {
        int port = args.length == 0 ? 0 : Integer.parseInt(args[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        Path file = Files.createTempFile("leat-example", ".db");
        try (Leat leat = Leat.open("sqlite:" + file)) {
            server.createContext("/", new MarkdownRenderer(leat)::serve);
            server.start();
            if (args.length > 0) {
                System.out.println("Open " + url + "guide; Enter ends it");
                var unused = System.in.read();
                return;
            }
            HttpClient client = HttpClient.newHttpClient();
            List<CompletableFuture<HttpResponse<String>>> callers = IntStream.range(0, 50)
                    .mapToObj(i -> ask(client, url + "guide"))
                    .toList();
            long sameFor = callers.stream()
                    .map(CompletableFuture::join)
                    .filter(answer -> answer.body().startsWith("<h1>A guide</h1>"))
                    .count();
            System.out.println(sameFor + " callers got the page");
            HttpResponse<String> missing = ask(client, url + "nothing").join();
            System.out.println(missing.statusCode() + " " + missing.body());
        } finally {
            server.stop(0);
            Files.delete(file);
        }
    }

    private static CompletableFuture<HttpResponse<String>> ask(HttpClient client, String url) {
        return client.sendAsync(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
