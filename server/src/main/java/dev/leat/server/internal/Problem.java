package dev.leat.server.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.InvalidRequestException;
import dev.leat.Refusal;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;

/**
 * Why a call was refused, as RFC 9457 writes it; {@code code} is what programs go by and never changes.
 *
 * @param status the status of HTTP
 * @param code a stable name
 * @param detail a sentence for people
 * @param field which value of the request is wrong, if one is
 */
record Problem(int status, String code, String detail, Optional<String> field) {
    static Problem of(int status, String code, String detail) {
        return new Problem(status, code, detail, Optional.empty());
    }

    /** What an exception means to whoever made the call; empty for one that nobody expected. */
    static Optional<Problem> of(Throwable e) {
        if (e instanceof InvalidRequestException invalid) {
            return Optional.of(new Problem(400, "invalid", message(e), Optional.of(invalid.field())));
        }
        return Refusal.of(e)
                .map(refusal -> refusal == Refusal.CLOSED ? Refusal.STORAGE_UNAVAILABLE : refusal)
                .map(refusal -> of(status(refusal), refusal.code(), message(e)));
    }

    private static int status(Refusal refusal) {
        return switch (refusal) {
            case INVALID, UNREADABLE_PAYLOAD -> 400;
            case FORBIDDEN -> 403;
            case QUEUE_NOT_FOUND, TASK_NOT_FOUND, GROUP_NOT_FOUND, SUBSCRIPTION_NOT_FOUND, SCHEDULE_NOT_FOUND -> 404;
            case QUEUE_EXISTS,
                    QUEUE_FULL,
                    QUEUE_IN_USE,
                    ADDRESS_IN_USE,
                    ADDRESS_IN_DOUBT,
                    IDEMPOTENCY_KEY_REUSED,
                    EQUIVALENT_IN_DOUBT,
                    GROUP_CLOSED,
                    GROUP_EXISTS,
                    UNSUPPORTED -> 409;
            case SESSION_ENDED, OUTCOME_FORGOTTEN -> 410;
            case OUTCOME_UNKNOWN, STORAGE_UNAVAILABLE, CLOSED -> 503;
        };
    }

    private static String message(Throwable e) {
        return String.valueOf(e.getMessage());
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", "about:blank")
                .put("title", HttpResponseStatus.valueOf(status).reasonPhrase())
                .put("status", status);
        json.put("code", code).put("detail", detail);
        field.ifPresent(name -> json.put("field", name));
        return json;
    }
}
