package dev.leat.cli.logging;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sends log lines to Loki's push API. Safe from any thread. */
final class LokiPush {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String PATH = "/loki/api/v1/push";
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final int TOO_MANY = 429;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final URI target;
    private final Optional<String> userInfo;
    private final Map<String, String> labels;

    /** One line of the log. */
    record Line(Instant time, String level, String text) {}

    /**
     * Why lines were not taken.
     *
     * @param mayPass whether it makes sense to try the same lines again
     */
    record Trouble(String message, boolean mayPass) {}

    private LokiPush(URI target, Optional<String> userInfo, Map<String, String> labels) {
        this.target = target;
        this.userInfo = userInfo;
        this.labels = labels;
    }

    /** @param url Loki's address, alone or with the path of its push API; a user and a password may stand in it */
    static LokiPush to(String url, Map<String, String> labels) {
        URI given;
        try {
            given = URI.create(url.strip());
        } catch (IllegalArgumentException e) {
            throw wrong(e);
        }
        if (given.getHost() == null
                || given.getScheme() == null
                || !given.getScheme().matches("https?")) {
            throw wrong(new IllegalArgumentException("no http"));
        }
        boolean isAddressOnly = given.getPath().isEmpty() || given.getPath().equals("/");
        String authority = given.getHost() + (given.getPort() < 0 ? "" : ":" + given.getPort());
        URI target = URI.create(given.getScheme() + "://" + authority + (isAddressOnly ? PATH : given.getRawPath()));
        return new LokiPush(target, Optional.ofNullable(given.getUserInfo()), labels);
    }

    private static InvalidRequestException wrong(IllegalArgumentException cause) {
        return new InvalidRequestException(
                "GRAFANA_URL", "must be the address of Loki, such as http://loki.example.org:3100", cause);
    }

    /** Where the lines go, without a password. */
    URI target() {
        return target;
    }

    /** Pushes the lines; returns the error, if there was one. */
    Optional<Trouble> push(List<Line> lines) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(target)
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body(lines).toString()));
        userInfo.ifPresent(user -> request.header(
                "Authorization", "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8))));
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            int status = answer.statusCode();
            if (status / 100 == 2) {
                return Optional.empty();
            }
            boolean mayPass = status / 100 == 5 || status == TOO_MANY;
            return Optional.of(
                    new Trouble("answers " + status + " " + answer.body().strip(), mayPass));
        } catch (IOException e) {
            return Optional.of(new Trouble("cannot be reached: " + e, true));
        }
    }

    /** A stream for each level, since the level is a label. */
    private ObjectNode body(List<Line> lines) {
        Map<String, ArrayNode> values = new LinkedHashMap<>();
        for (Line line : lines) {
            values.computeIfAbsent(line.level, level -> JSON.arrayNode())
                    .addArray()
                    .add(nanos(line.time))
                    .add(line.text);
        }
        ObjectNode body = JSON.objectNode();
        ArrayNode streams = body.putArray("streams");
        values.forEach((level, ofLevel) -> {
            ObjectNode stream = streams.addObject();
            ObjectNode named = stream.putObject("stream");
            labels.forEach(named::put);
            named.put("level", level);
            stream.set("values", ofLevel);
        });
        return body;
    }

    private static String nanos(Instant time) {
        return Long.toString(time.getEpochSecond() * 1_000_000_000 + time.getNano());
    }
}
