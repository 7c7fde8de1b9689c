package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/**
 * The answer to a call.
 *
 * @param status the HTTP status
 * @param body the JSON body, if there is one
 */
public record Reply(int status, Optional<JsonNode> body) {
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;

    static Reply ok(JsonNode body) {
        return new Reply(OK, Optional.of(body));
    }

    static Reply created(JsonNode body) {
        return new Reply(CREATED, Optional.of(body));
    }

    static Reply done() {
        return new Reply(NO_CONTENT, Optional.empty());
    }
}
