package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.sql.internal.row.QueueRow;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The tenant that takes of this process got last, by queue, priority and types. A process that has not taken yet begins at a random tenant. Safe
 * from any thread.
 */
public final class TenantTurns {
    private static final int MAX_ENTRIES = 10_000;

    private record Turns(long queueId, int priority, Optional<Set<String>> types) {}

    private final Map<Turns, String> last = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Turns, String> eldest) {
            return size() > MAX_ENTRIES;
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
