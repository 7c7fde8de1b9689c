package dev.leat.webhook;

import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import dev.leat.webhook.internal.HeaderRules;
import java.util.regex.Pattern;

/**
 * The content of a webhook.
 *
 * @param id the same for each attempt, so that a receiver can drop duplicates
 * @param payload the bytes of the body and their content type; not sent where the method has no body
 */
public record Message(String id, Payload payload) {
    /** No full stop: it separates id and time in the signed text, so an id with one could pose as another id and time. */
    private static final Pattern ID = Pattern.compile("[\\x21-\\x2d\\x2f-\\x7e]{1,256}");

    public Message {
        if (!ID.matcher(id).matches()) {
            throw new InvalidRequestException(
                    "id", "must be 1 to 256 characters of ASCII, without blanks and full stops");
        }
        if (!HeaderRules.legalValue(payload.contentType())) {
            throw new InvalidRequestException("contentType", "must be ASCII without line breaks");
        }
    }
}
