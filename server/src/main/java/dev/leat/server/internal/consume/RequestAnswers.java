package dev.leat.server.internal.consume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.ErrorCode;
import dev.leat.wire.Cbor;
import dev.leat.wire.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers to requests, by the number of the request. */
final class RequestAnswers {
    private static final Logger log = LoggerFactory.getLogger(RequestAnswers.class);

    private RequestAnswers() {}

    static ObjectNode result(long number, JsonNode result) {
        return Cbor.map().put(Request.NUMBER, number).set("result", result);
    }

    static ObjectNode error(long number, Throwable e) {
        if (ErrorCode.of(e).isEmpty()) {
            log.error("Could not answer a message", e);
        }
        return Cbor.map().put(Request.NUMBER, number).set("error", Errors.of(e));
    }
}
