package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;

/** For whoever starts, stops and asks servers. */
final class HealthRoutes {
    /** The process answers. */
    static final Reply LIVE = Reply.ok(JsonNodeFactory.instance.objectNode().put("status", "live"));

    private final Leat leat;

    HealthRoutes(Leat leat) {
        this.leat = leat;
    }

    /** The storage answers; if not, this throws, and whoever asks gets 503. */
    Reply ready(RestCall call) {
        leat.queues();
        return Reply.ok(JsonNodeFactory.instance
                .objectNode()
                .put("status", "ready")
                .put("storage", leat.storage().name()));
    }
}
