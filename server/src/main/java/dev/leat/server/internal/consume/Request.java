package dev.leat.server.internal.consume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.wire.Op;
import java.util.Optional;

/**
 * One map of a message.
 *
 * @param number what the client calls it
 * @param named what it says it wants; unknown, perhaps
 * @param fields the rest of it
 */
record Request(long number, String named, JsonFields fields) {
    static final String NUMBER = "id";

    /** Whoever sends no number cannot be answered. */
    static Request read(JsonNode map) {
        JsonFields fields = JsonFields.of("message", map);
        try {
            return new Request(
                    fields.number(NUMBER).orElseThrow(() -> new InvalidRequestException(NUMBER, "is missing")),
                    fields.any("op").map(JsonNode::asText).orElse(""),
                    fields);
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("message", "must have a number as 'id'", e);
        }
    }

    boolean is(Op op) {
        return named.equals(op.code());
    }

    Op op() {
        Optional<Op> op = Op.of(named);
        return op.orElseThrow(() -> new InvalidRequestException("op", "is not an operation: '" + named + "'"));
    }
}
