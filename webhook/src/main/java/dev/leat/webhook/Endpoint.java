package dev.leat.webhook;

import dev.leat.error.InvalidRequestException;
import dev.leat.topic.Webhook;
import dev.leat.webhook.internal.HeaderRules;
import dev.leat.webhook.internal.SigningKey;
import dev.leat.webhook.internal.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The target of webhooks, and how they are signed. Immutable; building it finds mistakes. */
public final class Endpoint {
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final String url;
    private final Target target;
    private final Method method;
    private final Map<String, String> headers;
    private final List<SigningKey> keys;
    private final Duration timeout;

    /** How a receiver is called. */
    public enum Method {
        GET,
        POST,
        PUT,
        DELETE,
        PATCH;

        boolean hasBody() {
            return this != GET && this != DELETE;
        }
    }

    private Endpoint(Builder b) {
        url = b.url;
        target = b.target;
        method = b.method;
        Map<String, String> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        copy.putAll(b.headers);
        headers = Collections.unmodifiableMap(copy);
        keys = List.copyOf(b.keys);
        timeout = b.timeout;
    }

    /** A POST without a signature. */
    public static Endpoint of(String url) {
        return builder(url).build();
    }

    /**
     * The endpoint of a subscription.
     *
     * @throws InvalidRequestException when it cannot be called so
     */
    public static Endpoint of(Webhook webhook) {
        webhook.check();
        Builder endpoint = builder(webhook.url()).method(Method.valueOf(webhook.method()));
        webhook.headers().forEach(endpoint::header);
        webhook.secrets().forEach(endpoint::secret);
        webhook.timeout().ifPresent(endpoint::timeout);
        return endpoint.build();
    }

    /** @throws InvalidRequestException when the URL is not one of http or https, or has a user in it */
    public static Builder builder(String url) {
        return new Builder(url);
    }

    public String url() {
        return url;
    }

    public Method method() {
        return method;
    }

    /** By name, in any case. */
    public Map<String, String> headers() {
        return headers;
    }

    public Duration timeout() {
        return timeout;
    }

    static Duration checkTimeout(Duration timeout) {
        if (timeout.toMillis() < 1 || timeout.compareTo(LONGEST) > 0) {
            throw new InvalidRequestException("timeout", "must be from 1 ms to 10 minutes, was " + timeout);
        }
        return timeout;
    }

    Target target() {
        return target;
    }

    List<SigningKey> keys() {
        return keys;
    }

    /** The method and the URL, without secrets. */
    @Override
    public String toString() {
        return method + " " + target.shown();
    }

    /**
     * Describes an endpoint. Defaults: POST, no headers, no secrets, 20 seconds.
     */
    public static final class Builder {
        private static final int MOST_HEADERS = 64;
        private static final int MOST_SECRETS = 10;

        private final String url;
        private final Target target;
        private Method method = Method.POST;
        private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        private final List<SigningKey> keys = new ArrayList<>();
        private Duration timeout = Duration.ofSeconds(20);

        private Builder(String url) {
            this.url = url;
            this.target = Target.parse(url);
        }

        /** GET and DELETE have no body, and sign an empty one. */
        public Builder method(Method method) {
            this.method = method;
            return this;
        }

        /** Sent with each message. A {@code Content-Type} here overrides that of the message. */
        public Builder header(String name, String value) {
            HeaderRules.check(name, value);
            headers.put(name, value);
            if (headers.size() > MOST_HEADERS) {
                throw new InvalidRequestException("headers", "are limited to " + MOST_HEADERS);
            }
            return this;
        }

        /**
         * Signs with this key, {@code whsec_…} (HMAC-SHA256) or {@code whsk_…} (ed25519), and with those named before: while
         * a receiver changes to a new one, both are right.
         */
        public Builder secret(String secret) {
            keys.add(SigningKey.parse(secret));
            if (keys.size() > MOST_SECRETS) {
                throw new InvalidRequestException("secrets", "are limited to " + MOST_SECRETS);
            }
            return this;
        }

        /** How long a delivery may take, from the lookup of the host to the end of the answer. */
        public Builder timeout(Duration timeout) {
            this.timeout = checkTimeout(timeout);
            return this;
        }

        public Endpoint build() {
            return new Endpoint(this);
        }
    }
}
