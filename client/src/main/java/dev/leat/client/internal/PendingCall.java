package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.wire.Op;
import java.util.concurrent.CompletableFuture;

/** A call that waits to be sent, or for its answer. */
final class PendingCall {
    final long number;
    final Op op;
    final byte[] message;
    final CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    /** How often the call was sent; the server may have received it if not 0. Guarded by the link. */
    int sendings;
    /** Since when the call waits to be sent. Guarded by the link. */
    long waitingSince = System.nanoTime();

    PendingCall(long number, Op op, byte[] message) {
        this.number = number;
        this.op = op;
        this.message = message;
    }
}
