package dev.leat.webhook.internal;

import java.util.Map;

/**
 * A request before it is written.
 *
 * @param headers all but {@code Host}, {@code Content-Length} and {@code Connection}
 */
public record OutgoingRequest(Target target, String method, Map<String, String> headers, Body body) {

    /** The body. */
    public sealed interface Body {
        /** As of GET. */
        record None() implements Body {}

        /** Maybe of no bytes, as of a POST without a payload. The array is not copied. */
        @SuppressWarnings("ArrayRecordComponent") // nobody compares bodies
        record Bytes(byte[] bytes) implements Body {}
    }
}
