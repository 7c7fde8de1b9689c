package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.ClosedException;
import dev.leat.error.ErrorCode;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Optional;

/**
 * The problem details of a refused call, by RFC 9457. Programs use {@code code}, which never changes.
 *
 * @param status the HTTP status
 * @param code a stable name
 * @param detail a sentence for people
 * @param field the field of the request that is wrong, if the problem is about one field
 */
public record Problem(int status, String code, String detail, Optional<String> field) {
    public static Problem of(int status, String code, String detail) {
        return new Problem(status, code, detail, Optional.empty());
    }

    /** The problem that an exception means for the caller; empty for an unexpected exception. */
    public static Optional<Problem> of(Throwable e) {
        if (e instanceof InvalidRequestException invalid) {
            return Optional.of(new Problem(
                    400, "invalid", detail(invalid.withoutAdvice(), hint(invalid)), Optional.of(invalid.field())));
        }
        if (e instanceof ClosedException) {
            return Optional.of(of(503, ErrorCode.STORAGE_UNAVAILABLE.code(), "The server is stopping."));
        }
        return e instanceof LeatException refused
                ? ErrorCode.of(e)
                        .map(refusal ->
                                of(status(refusal), refusal.code(), detail(refused.withoutAdvice(), hint(refusal))))
                : Optional.empty();
    }

    private static String detail(String problem, String hint) {
        if (hint.isEmpty()) {
            return problem;
        }
        return problem + (problem.endsWith(".") ? " " : ". ") + hint;
    }

    /** The next HTTP call that helps; empty where the message says enough. */
    private static String hint(ErrorCode refusal) {
        return switch (refusal) {
            case QUEUE_NOT_FOUND ->
                "POST /v1/queues/{queue}/tasks makes it with the first task, PUT /v1/queues/{queue} without.";
            case QUEUE_FULL -> "Send it again later, or raise its capacity. " + replacing("a larger \"capacity\"");
            case SESSION_ENDED -> "POST /v1/sessions opens a new one.";
            case OUTCOME_FORGOTTEN ->
                "The queue's option \"keep\" says how long outcomes are kept. " + replacing("a longer \"keep\"");
            case OUTCOME_UNKNOWN -> "Send it again with the same Idempotency-Key; without one, tasks may be put twice.";
            case ADDRESS_IN_DOUBT, EQUIVALENT_IN_DOUBT -> "Send it again.";
            default -> "";
        };
    }

    /** A hint for a take that its queue does not allow. The caller has to change the queue, not the request. */
    private static String hint(InvalidRequestException invalid) {
        if (invalid.advice().isEmpty()) {
            return "";
        }
        return switch (invalid.field()) {
            case "types" -> replacing("\"typeFilter\": \"on\"");
            case "order" -> replacing("the order added to \"orders\"");
            default -> "";
        };
    }

    /** PUT replaces all options: a caller that sent only the changed option would reset the others to their defaults. */
    private static String replacing(String change) {
        return "PUT /v1/queues/{queue} replaces all options: send those of GET with " + change + ".";
    }

    private static int status(ErrorCode refusal) {
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

    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", "about:blank")
                .put("title", HttpResponseStatus.valueOf(status).reasonPhrase())
                .put("status", status);
        json.put("code", code).put("detail", detail);
        field.ifPresent(name -> json.put("field", name));
        return json;
    }
}
