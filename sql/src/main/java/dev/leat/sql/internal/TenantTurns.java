package dev.leat.sql.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Whose turn it was last in each queue, as far as this process has seen: whoever begins beside others, or for one take only, begins
 * anywhere. Safe from any thread.
 */
final class TenantTurns {
    private final Map<Long, String> last = new ConcurrentHashMap<>();

    String last(QueueRow queue) {
        return last.computeIfAbsent(
                queue.id(),
                id -> Integer.toHexString(ThreadLocalRandom.current().nextInt(16)));
    }

    void had(QueueRow queue, String tenant) {
        last.put(queue.id(), tenant);
    }
}
