package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.wire.Op;
import java.util.concurrent.CompletableFuture;

/** Something that the server was asked, or is to be asked, for. */
final class PendingCall {
    final long number;
    final Op op;
    final byte[] message;
    final CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    /** Guarded by the link: how often it was sent, so that the server may have seen it. */
    int sendings;
    /** Guarded by the link: since when it waits to be sent. */
    long waitingSince = System.nanoTime();

    PendingCall(long number, Op op, byte[] message) {
        this.number = number;
        this.op = op;
        this.message = message;
    }
}
