package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.sql.internal.row.QueueRow;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Whose turn it was last, as far as this process has seen: whoever begins beside others, or for one take only, begins anywhere. Each
 * priority has turns of its own, and so has each choice of types. Safe from any thread.
 */
public final class TenantTurns {
    private static final int MOST = 10_000;

    private record Turns(long queueId, int priority, Optional<Set<String>> types) {}

    private final Map<Turns, String> last = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Turns, String> eldest) {
            return size() > MOST;
        }
    };

    synchronized String last(QueueRow queue, int priority, TakeRequest request) {
        return last.computeIfAbsent(
                new Turns(queue.id(), priority, request.types()),
                turns -> Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    synchronized void had(QueueRow queue, int priority, TakeRequest request, String tenant) {
        last.put(new Turns(queue.id(), priority, request.types()), tenant);
    }
}
