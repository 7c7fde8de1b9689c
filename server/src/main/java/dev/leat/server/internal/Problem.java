package dev.leat.server.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.AddressInDoubtException;
import dev.leat.AddressInUseException;
import dev.leat.ClosedException;
import dev.leat.GroupClosedException;
import dev.leat.GroupExistsException;
import dev.leat.GroupNotFoundException;
import dev.leat.InvalidRequestException;
import dev.leat.OutcomeForgottenException;
import dev.leat.PayloadException;
import dev.leat.PutOutcomeUnknownException;
import dev.leat.QueueExistsException;
import dev.leat.QueueFullException;
import dev.leat.QueueInUseException;
import dev.leat.QueueNotFoundException;
import dev.leat.SessionEndedException;
import dev.leat.StorageException;
import dev.leat.TaskNotFoundException;
import dev.leat.UnsupportedByStorageException;
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
        return code(e).map(code -> of(code.status, code.name, message(e)));
    }

    private record Code(int status, String name) {}

    private static Optional<Code> code(Throwable e) {
        if (e instanceof PayloadException) {
            return Optional.of(new Code(400, "invalid"));
        } else if (e instanceof QueueNotFoundException) {
            return Optional.of(new Code(404, "queue-not-found"));
        } else if (e instanceof TaskNotFoundException) {
            return Optional.of(new Code(404, "task-not-found"));
        } else if (e instanceof GroupNotFoundException) {
            return Optional.of(new Code(404, "group-not-found"));
        } else if (e instanceof QueueExistsException) {
            return Optional.of(new Code(409, "queue-exists"));
        } else if (e instanceof QueueFullException) {
            return Optional.of(new Code(409, "queue-full"));
        } else if (e instanceof QueueInUseException) {
            return Optional.of(new Code(409, "queue-in-use"));
        } else if (e instanceof AddressInUseException || e instanceof AddressInDoubtException) {
            return Optional.of(new Code(409, "address-in-use"));
        } else if (e instanceof GroupClosedException) {
            return Optional.of(new Code(409, "group-closed"));
        } else if (e instanceof GroupExistsException) {
            return Optional.of(new Code(409, "group-exists"));
        } else if (e instanceof UnsupportedByStorageException) {
            return Optional.of(new Code(409, "unsupported"));
        } else if (e instanceof SessionEndedException) {
            return Optional.of(new Code(410, "session-ended"));
        } else if (e instanceof OutcomeForgottenException) {
            return Optional.of(new Code(410, "outcome-forgotten"));
        } else if (e instanceof PutOutcomeUnknownException) {
            return Optional.of(new Code(503, "outcome-unknown"));
        } else if (e instanceof StorageException || e instanceof ClosedException) {
            return Optional.of(new Code(503, "storage-unavailable"));
        }
        return Optional.empty();
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
