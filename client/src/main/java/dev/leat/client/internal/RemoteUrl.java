package dev.leat.client.internal;

import dev.leat.error.InvalidRequestException;
import dev.leat.json.DurationText;
import dev.leat.wire.Hello;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The URL of a server.
 *
 * @param address without parameters, for messages
 * @param token the token for the server; from the parameter {@code token} or the variable {@code LEAT_TOKEN}
 * @param patience how long a call waits for a server that cannot be reached; from the parameter {@code patience}
 */
record RemoteUrl(URI address, Optional<String> token, Duration patience) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Set<String> PARAMETERS = Set.of("token", "patience");

    static RemoteUrl parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new InvalidRequestException("url", "is no URL of a server: " + e.getReason());
        }
        if (uri.getHost() == null || uri.getUserInfo() != null || uri.getFragment() != null) {
            throw new InvalidRequestException("url", "must be like http://host:8770, with the token as ?token=…");
        }
        Map<String, String> parameters = parameters(uri.getRawQuery());
        parameters.keySet().stream()
                .filter(name -> !PARAMETERS.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new InvalidRequestException(
                            "url", "has an unknown parameter: '" + name + "'; known are patience and token");
                });
        String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceFirst("/+$", "");
        return new RemoteUrl(
                URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + path),
                Optional.ofNullable(parameters.get("token")).or(() -> Optional.ofNullable(System.getenv("LEAT_TOKEN"))),
                Optional.ofNullable(parameters.get("patience"))
                        .map(text -> DurationText.parse("patience", text))
                        .orElse(PATIENCE));
    }

    private static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new HashMap<>();
        if (query != null) {
            for (String pair : query.split("&", -1)) {
                String[] parts = pair.split("=", 2);
                parameters.put(decoded(parts[0]), parts.length == 2 ? decoded(parts[1]) : "");
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** The URI of the WebSocket. */
    URI socket(String client, String version) {
        String ws = address.toString().replaceFirst("^http", "ws");
        return URI.create(ws + Hello.PATH + "?client=" + client + "&version=" + version + "&listen=true");
    }
}
