package dev.leat.sql.internal.fast;

import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last takes of this process after whose acks nothing remains of the tasks, since their queue forgets them. Such acks
 * need not copy whole rows. It is only a hint: the statement sees for itself. Safe from any thread.
 */
final class ForgettingTakes {
    private static final int MOST = 10_000;

    private final Map<Long, Long> queuesByNonce = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
            return size() > MOST;
        }
    };

    synchronized void add(QueueRow queue, long nonce, List<TaskRow> taken) {
        boolean forgets = queue.options().retention().done().isZero();
        if (forgets && !taken.isEmpty() && taken.stream().allMatch(ForgettingTakes::isForgettable)) {
            queuesByNonce.put(nonce, queue.id());
        }
    }

    private static boolean isForgettable(TaskRow row) {
        return row.counts.attempts() == 1
                && row.key() == null
                && row.groupId() == 0
                && row.given.address().isEmpty();
    }

    /** The id of its queue, if the take was one of those. */
    synchronized @Nullable Long queue(long nonce) {
        return queuesByNonce.get(nonce);
    }
}
