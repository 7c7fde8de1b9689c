package dev.leat.sql.internal.row;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Queues as they were last read, which saves reading and parsing their options. A user must check, in its own transaction, that the row still has
 * the same revision. Safe from any thread.
 */
public final class QueueCache {
    private final Map<Long, QueueRow> byId = new ConcurrentHashMap<>();
    private final Map<String, QueueRow> byName = new ConcurrentHashMap<>();

    @Nullable
    public QueueRow get(long id, long revision) {
        QueueRow known = byId.get(id);
        return known != null && known.revision() == revision ? known : null;
    }

    /** The queue as it was last read. */
    @Nullable
    public QueueRow latest(String name) {
        return byName.get(name);
    }

    @Nullable
    public QueueRow latest(long id) {
        return byId.get(id);
    }

    public void keep(QueueRow queue) {
        byId.put(queue.id(), queue);
        byName.put(queue.name(), queue);
    }

    /** Removes a queue whose row has changed. */
    public void forget(QueueRow queue) {
        byId.remove(queue.id(), queue);
        byName.remove(queue.name(), queue);
    }
}
