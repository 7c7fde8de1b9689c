package dev.leat.topic;

import dev.leat.error.InvalidRequestException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The URL to which the copies of a subscription are sent, and how. Immutable; each method with a value returns a changed copy. The sender reads
 * the webhook for each delivery, so a change also counts for waiting copies.
 *
 * <p>A webhook can be invalid, because plain SQL can write any value, and lists must still show it. A put of a subscription refuses a webhook
 * that {@link #check} refuses.
 *
 * @param url starts with http:// or https://
 * @param method GET, POST, PUT, DELETE or PATCH
 * @param headers sent with each publication
 * @param secrets the keys that sign each delivery: {@code whsec_…} or {@code whsk_…}; several during a change of keys
 * @param timeout how long a delivery may take; empty for the default of the sender
 */
public record Webhook(
        String url, String method, Map<String, String> headers, List<String> secrets, Optional<Duration> timeout) {
    private static final Set<String> METHODS = Set.of("GET", "POST", "PUT", "DELETE", "PATCH");
    private static final int MOST_HEADERS = 64;
    private static final int MOST_SECRETS = 10;
    private static final int LONGEST_TEXT = 4_096;
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(10);

    public Webhook {
        headers = Collections.unmodifiableMap(new TreeMap<>(headers));
        secrets = List.copyOf(secrets);
    }

    /** Sends by POST, without headers and unsigned. */
    public static Webhook to(String url) {
        return new Webhook(url, "POST", Map.of(), List.of(), Optional.empty());
    }

    public Webhook method(String method) {
        return new Webhook(url, method, headers, secrets, timeout);
    }

    public Webhook header(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, value);
        return new Webhook(url, method, more, secrets, timeout);
    }

    /** Adds a key to sign with. */
    public Webhook secret(String secret) {
        List<String> more = new ArrayList<>(secrets);
        more.add(secret);
        return new Webhook(url, method, headers, more, timeout);
    }

    public Webhook timeout(Duration timeout) {
        return new Webhook(url, method, headers, secrets, Optional.of(timeout));
    }

    /**
     * Checks the values without a request to the URL.
     *
     * @throws InvalidRequestException with a message that contains no secrets
     */
    public void check() {
        if (!url.matches("https?://[\\x21-\\x7e]+")) {
            throw new InvalidRequestException(
                    "url", "must begin with http:// or https://, and be ASCII without blanks");
        }
        if (url.length() > LONGEST_TEXT) {
            throw new InvalidRequestException("url", "must have at most " + LONGEST_TEXT + " characters");
        }
        if (!METHODS.contains(method)) {
            throw new InvalidRequestException(
                    "method", "must be GET, POST, PUT, DELETE or PATCH, was '" + method + "'");
        }
        checkCount("headers", MOST_HEADERS, headers.size());
        checkCount("secrets", MOST_SECRETS, secrets.size());
        headers.forEach(Webhook::checkHeader);
        secrets.forEach(Webhook::checkSecret);
        timeout.ifPresent(Webhook::checkTimeout);
    }

    private static void checkCount(String field, int most, int count) {
        if (count > most) {
            throw new InvalidRequestException(field, "are limited to " + most);
        }
    }

    private static void checkHeader(String name, String value) {
        boolean isHeader = name.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}") && value.matches("[\\t\\x20-\\x7e]*");
        if (!isHeader || value.length() > LONGEST_TEXT) {
            throw new InvalidRequestException(
                    "headers", "must be ASCII without line breaks, of at most " + LONGEST_TEXT + " characters each");
        }
    }

    private static void checkSecret(String secret) {
        if (!secret.matches("wh(sec|sk)_[A-Za-z0-9+/]{32,88}={0,2}")) {
            throw new InvalidRequestException(
                    "secrets", "must be whsec_… (HMAC, 24 to 64 bytes) or whsk_… (ed25519), in base64");
        }
    }

    private static void checkTimeout(Duration timeout) {
        if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new InvalidRequestException("timeout", "must be from 1 ms to 10 minutes, was " + timeout);
        }
    }

    /** The URL without its query, which can contain tokens. */
    public String shownUrl() {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query) + "?…";
    }

    /** Contains no secrets. */
    @Override
    public String toString() {
        return method + " " + shownUrl();
    }
}
