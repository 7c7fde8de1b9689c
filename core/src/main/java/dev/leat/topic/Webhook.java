package dev.leat.topic;

import dev.leat.Subscriptions;
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
 * The URL that a subscription's publications are sent to, and how. Immutable; each method that takes a value gives a changed copy. Whoever
 * delivers reads it each time, so that a change counts for what waits already, too.
 *
 * <p>It may be wrong: anybody can write one with plain SQL, and must then be able to look at it. {@link Subscriptions#put} takes none that
 * {@link #check} refuses.
 *
 * @param url begins with http:// or https://
 * @param method GET, POST, PUT, DELETE or PATCH
 * @param headers sent with each publication
 * @param secrets each signs it: {@code whsec_…} or {@code whsk_…}, several while they change
 * @param timeout how long a delivery may take; empty leaves that to whoever delivers
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

    /** By POST, without further headers and unsigned. */
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

    /** Signs with this one, too. */
    public Webhook secret(String secret) {
        List<String> more = new ArrayList<>(secrets);
        more.add(secret);
        return new Webhook(url, method, headers, more, timeout);
    }

    public Webhook timeout(Duration timeout) {
        return new Webhook(url, method, headers, secrets, Optional.of(timeout));
    }

    /**
     * What can be said without calling it.
     *
     * @throws InvalidRequestException never with what may be secret
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

    /** The URL without its query, where people put tokens. */
    public String shownUrl() {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query) + "?…";
    }

    /** Without what may be secret. */
    @Override
    public String toString() {
        return method + " " + shownUrl();
    }
}
