package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Speaks to a server as anybody would. */
final class Client {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final String url;
    private final Map<String, String> headers;

    Client(int port) {
        this("http://127.0.0.1:" + port, Map.of());
    }

    private Client(String url, Map<String, String> headers) {
        this.url = url;
        this.headers = headers;
    }

    /** One that sends a header with each request. */
    Client with(String header, String value) {
        return new Client(url, Map.of(header, value));
    }

    /** What was answered. */
    record Answer(int status, HttpHeaders headers, JsonNode body) {
        String type() {
            return header("Content-Type").orElse("");
        }

        Optional<String> header(String name) {
            return headers.firstValue(name);
        }

        Answer is(int expected) {
            assertThat(status).as("%s", body).isEqualTo(expected);
            return this;
        }

        String code() {
            return body.path("code").asText();
        }
    }

    Answer get(String path) {
        return send("GET", path, "");
    }

    Answer post(String path, String json) {
        return send("POST", path, json);
    }

    Answer send(String method, String path, String json) {
        return join(start(method, path, json));
    }

    CompletableFuture<Answer> start(String method, String path, String json) {
        return http.sendAsync(request(method, path, json).build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(Client::answer);
    }

    URI uri(String path) {
        return URI.create(url + path);
    }

    private HttpRequest.Builder request(String method, String path, String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(30));
        headers.forEach(request::header);
        return json.isEmpty()
                ? request.method(method, HttpRequest.BodyPublishers.noBody())
                : request.method(method, HttpRequest.BodyPublishers.ofString(json))
                        .header("Content-Type", "application/json");
    }

    Answer send(HttpRequest request) {
        return join(
                http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()).thenApply(Client::answer));
    }

    private static Answer answer(HttpResponse<byte[]> response) {
        try {
            JsonNode body = response.body().length == 0 ? MissingNode.getInstance() : MAPPER.readTree(response.body());
            return new Answer(response.statusCode(), response.headers(), body);
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + new String(response.body(), StandardCharsets.UTF_8), e);
        }
    }

    static Answer join(CompletableFuture<Answer> answer) {
        return answer.orTimeout(30, TimeUnit.SECONDS).join();
    }
}
