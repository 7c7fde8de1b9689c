package dev.leat.tenant;

import dev.leat.tenant.internal.HttpUrl;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How to get a token from an OAuth 2 server: by {@code client_credentials}, or by the {@code password} of a user. Never changes.
 */
public final class OAuthGrant {
    private static final String GRANT_TYPE = "grant_type";
    private static final String CLIENT_ID = "client_id";

    private final HttpUrl tokenUrl;
    private final String clientId;
    private final Optional<String> clientSecret;
    private final Map<String, String> form;

    private OAuthGrant(HttpUrl tokenUrl, String clientId, Optional<String> clientSecret, Map<String, String> form) {
        this.tokenUrl = tokenUrl;
        this.clientId = clientId;
        this.clientSecret = clientSecret;
        this.form = form;
    }

    /** For a program that has an account of its own. */
    public static OAuthGrant clientCredentials(String tokenUrl, String clientId, String clientSecret) {
        return new OAuthGrant(
                HttpUrl.parse("tokenUrl", tokenUrl),
                clientId,
                Optional.of(clientSecret),
                Map.of(GRANT_TYPE, "client_credentials"));
    }

    /** For a program that uses the account of a user. */
    public static OAuthGrant password(String tokenUrl, String clientId, String user, String password) {
        return new OAuthGrant(
                HttpUrl.parse("tokenUrl", tokenUrl),
                clientId,
                Optional.empty(),
                Map.of(GRANT_TYPE, "password", "username", user, "password", password));
    }

    public OAuthGrant clientSecret(String secret) {
        return new OAuthGrant(tokenUrl, clientId, Optional.of(secret), form);
    }

    public OAuthGrant scope(String scope) {
        Map<String, String> more = new LinkedHashMap<>(form);
        more.put("scope", scope);
        return new OAuthGrant(tokenUrl, clientId, clientSecret, more);
    }

    /** The request for a token. The client's secret goes into the header {@code Authorization}, which every OAuth 2 server must accept. */
    HttpRequest request() {
        Map<String, String> fields = new LinkedHashMap<>(form);
        HttpRequest.Builder request = HttpRequest.newBuilder(tokenUrl.uri())
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json");
        clientSecret.ifPresentOrElse(
                secret -> request.header("Authorization", "Basic " + base64(encoded(clientId) + ":" + encoded(secret))),
                () -> fields.put(CLIENT_ID, clientId));
        String body = fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        return request.POST(HttpRequest.BodyPublishers.ofString(body)).build();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "OAuthGrant[" + form.get(GRANT_TYPE) + " at " + tokenUrl + ", client " + clientId + "]";
    }
}
