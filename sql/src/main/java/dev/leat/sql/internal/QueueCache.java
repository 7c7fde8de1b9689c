package dev.leat.sql.internal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Queues as they were last read, to spare reading and parsing their options. A transaction uses one only after it has seen
 * that the row still has the same revision. Safe from any thread.
 */
final class QueueCache {
    private final Map<Long, QueueRow> byId = new ConcurrentHashMap<>();

    @Nullable
    QueueRow get(long id, long revision) {
        QueueRow known = byId.get(id);
        return known != null && known.revision() == revision ? known : null;
    }

    void keep(QueueRow queue) {
        byId.put(queue.id(), queue);
    }
}
