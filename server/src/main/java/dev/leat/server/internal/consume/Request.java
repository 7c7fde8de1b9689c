package dev.leat.server.internal.consume;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.wire.Op;
import java.util.Optional;

/**
 * One request: a map of a message.
 *
 * @param number the client's number for the request
 * @param named the name of the operation, which can be unknown
 * @param fields the other fields
 */
record Request(long number, String named, JsonFields fields) {
    static final String NUMBER = "id";

    /** Refuses a request without a number, which cannot be answered. */
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
