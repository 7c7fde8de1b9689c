package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;

/** Health checks, for process supervisors and load balancers. */
final class HealthRoutes {
    /** Liveness: the process answers, without a storage call. */
    static final Reply LIVE = Reply.ok(JsonNodeFactory.instance.objectNode().put("status", "live"));

    private final Leat leat;

    HealthRoutes(Leat leat) {
        this.leat = leat;
    }

    /** Readiness: reads the queues. A storage failure throws, and the caller gets 503. */
    Reply ready(RestCall call) {
        leat.queues();
        return Reply.ok(JsonNodeFactory.instance
                .objectNode()
                .put("status", "ready")
                .put("storage", leat.storage().name()));
    }
}
