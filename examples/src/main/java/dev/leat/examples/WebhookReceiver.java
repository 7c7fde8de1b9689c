package dev.leat.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.leat.Leat;
import dev.leat.TaskEvent;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import dev.leat.webhook.InvalidSignatureException;
import dev.leat.webhook.WebhookHandler;
import dev.leat.webhook.WebhookSender;
import dev.leat.webhook.WebhookSignature;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Receives the publications of a topic by HTTP, and accepts only signed ones. */
public final class WebhookReceiver {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private WebhookReceiver() {}

    private static void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        try {
            WebhookSignature.verify(List.of(SECRET), exchange.getRequestHeaders()::getFirst, body);
            System.out.println("Received: " + new String(body, StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
        } catch (InvalidSignatureException e) {
            exchange.sendResponseHeaders(401, -1);
        }
        exchange.close();
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hooks", WebhookReceiver::receive);
        server.start();
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/hooks";
        Path file = Files.createTempFile("leat-example", ".db");
        // The sender refuses addresses outside the public internet, unless they are allowed.
        try (WebhookSender sender =
                        WebhookSender.builder().allowHost("127.0.0.1").build();
                Leat leat = Leat.open("sqlite:" + file)) {
            leat.subscriptions()
                    .put(Subscription.to("orders", "shop")
                            .webhook(Webhook.to(url).secret(SECRET)));
            CountDownLatch done = new CountDownLatch(4); // two publications, and a copy of each
            leat.onTaskChange(change -> {
                if (change.kind() == TaskEvent.Kind.ACK) {
                    done.countDown();
                }
            });

            leat.publish("orders", "order 17");
            leat.publish("orders", "order 18");
            leat.worker()
                    .otherSubscribers("orders", byte[].class, new WebhookHandler(sender))
                    .start();
            done.await();
        } finally {
            Files.delete(file);
            server.stop(0);
        }
    }
}
