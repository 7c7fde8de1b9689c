package dev.leat.webhook;

import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import dev.leat.webhook.internal.HeaderRules;
import java.util.regex.Pattern;

/**
 * What a webhook tells.
 *
 * @param id the same each time it is sent, so that a receiver knows what it has had already
 * @param payload the bytes of the body and their content type; not sent where the method has no body
 */
public record Message(String id, Payload payload) {
    /** Without the full stop, which ends the id in what is signed: another id and time could be read into it. */
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
