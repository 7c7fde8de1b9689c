package dev.leat.webhook.internal;

import dev.leat.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The answer of a receiver.
 *
 * @param body as it came: nothing is ever decompressed
 * @param truncated whether the body ended early, by a limit of ours or by the receiver
 * @param retryAfter as it was written
 * @param encoding of the body, when it is not plain
 */
public record Answer(
        int status, Payload body, boolean truncated, Optional<String> retryAfter, Optional<String> encoding) {
    private static final int SHOWN_CHARACTERS = 500;

    public boolean success() {
        return status >= 200 && status < 300;
    }

    /** The first 500 characters, for a message: without control characters, which could forge lines of a log
     * or hide what stands in one. */
    public String shown() {
        if (encoding.isPresent()) {
            return "(" + body.size() + " bytes of " + cut(printable(encoding.get()), 20) + ")";
        }
        // A character has at most four bytes.
        int bytes = Math.min(body.size(), SHOWN_CHARACTERS * 4);
        return cut(printable(new String(body.bytes(), 0, bytes, StandardCharsets.UTF_8)), SHOWN_CHARACTERS);
    }

    private static String printable(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ").strip();
    }

    private static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }
}
