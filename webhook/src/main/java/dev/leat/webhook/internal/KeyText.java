package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.util.Base64;

/** How keys are written: a prefix that names their kind, and base64. */
final class KeyText {
    private KeyText() {}

    static byte[] bytes(String field, String prefix, String text) {
        try {
            return Base64.getDecoder().decode(text.substring(prefix.length()));
        } catch (IllegalArgumentException e) {
            // Without the cause: its message contains parts of the key.
            throw new InvalidRequestException(field, "must be base64 after " + prefix);
        }
    }
}
