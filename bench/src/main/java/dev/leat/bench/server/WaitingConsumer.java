package dev.leat.bench.server;

import dev.leat.wire.Cbor;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks for a task, waits for a minute, and asks again. */
final class WaitingConsumer implements WebSocket.Listener {
    private static final int WAIT_SECONDS = 60;

    private final byte[] take;

    WaitingConsumer(String queue) {
        take = Cbor.write(List.of(Cbor.map()
                .put("id", 1)
                .put("op", "take")
                .put("queue", queue)
                .put("wait", WAIT_SECONDS)
                .put("detached", true)));
    }

    /** After the greeting as after each answer. */
    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
        socket.sendBinary(ByteBuffer.wrap(take), true);
        socket.request(1);
        return null;
    }
}
