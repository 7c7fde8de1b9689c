package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.Queue;
import dev.leat.SessionSpec;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.SessionEndedException;
import dev.leat.json.JsonFields;
import dev.leat.server.Role;
import dev.leat.storage.HeartbeatReply;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** Sessions for consumers that speak REST: while one is heard of, all its leases are held. */
final class SessionRoutes {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private static final int MOST_WAITING = 1_000_000;
    private static final int MOST_QUEUES = 1_000;

    private final Leat leat;

    SessionRoutes(Leat leat) {
        this.leat = leat;
    }

    Reply open(RestCall call) {
        JsonFields fields = call.fields("session");
        SessionSpec spec = SessionSpec.named(
                fields.text("name").orElseThrow(() -> new InvalidRequestException("name", "is missing")));
        spec = fields.duration("deadAfter").map(spec::deadAfter).orElse(spec);
        fields.end();
        String session = leat.storage().sessions().open(spec);
        return Reply.created(JSON.objectNode()
                .put("session", token(session))
                .put("deadAfter", spec.deadAfter().toMillis() / 1e3));
    }

    /** Says which of its tasks somebody wants to stop. */
    Reply heartbeat(RestCall call) {
        String session = id(call.path("session"));
        JsonFields fields = call.fields("heartbeat");
        Map<String, Integer> waiting =
                fields.object("waiting").map(SessionRoutes::waiting).orElse(Map.of());
        fields.end();
        waiting.keySet().forEach(queue -> call.grant().check(Role.CONSUME, queue));
        HeartbeatReply reply = leat.storage().sessions().heartbeat(session, waiting);
        if (!reply.alive()) {
            throw new SessionEndedException(session);
        }
        ArrayNode cancel = JSON.arrayNode();
        reply.cancelRequested().forEach(lease -> cancel.add(lease.token()));
        ObjectNode json = JSON.objectNode();
        return Reply.ok(json.set("cancelRequested", cancel));
    }

    /** Its tasks go back at once. */
    Reply close(RestCall call) {
        leat.storage().sessions().close(id(call.path("session")));
        return Reply.done();
    }

    /** How many takes wait for which queue, for those who look at the queues. */
    private static Map<String, Integer> waiting(JsonFields queues) {
        Map<String, Integer> waiting = new HashMap<>();
        for (String queue : queues.names()) {
            int count = queues.integer(queue).orElse(0);
            if (count < 0 || count > MOST_WAITING || waiting.size() == MOST_QUEUES) {
                throw new InvalidRequestException(
                        "waiting",
                        "must be at most " + MOST_QUEUES + " queues and from 0 to " + MOST_WAITING + " for each");
            }
            waiting.put(Queue.checkName(queue), count);
        }
        return waiting;
    }

    /** An id has characters that do not stand in a path. */
    private static String token(String id) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(id.getBytes(StandardCharsets.UTF_8));
    }

    static String id(String token) {
        try {
            return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("session", "is not a session: '" + token + "'", e);
        }
    }
}
