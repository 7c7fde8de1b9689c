package dev.leat.sql.internal.operation;

import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.error.SessionEndedException;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.Rows;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.TaskLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes tasks, within one unit of work. {@link ReadyScan} brings ready rows in the order that was asked for; here each gets its
 * key and its lease, or is parked behind a busy key, once.
 */
public final class Takes {

    private final UnitOfWork unit;
    private final Tx tx;
    private final long nonce;
    private final TenantTurns turns;
    private final List<TaskRow> leased = new ArrayList<>();
    private final List<TaskRow> unwritten = new ArrayList<>();
    private final List<TaskRow> parked = new ArrayList<>();
    private final Set<String> busyKeys = new HashSet<>();
    /** Keys that were free, but not for the rows we have: nobody frees them for a row that is parked. */
    private final Set<String> leftKeys = new HashSet<>();
    /** Whether the tasks of a key must come in their order, though other takes may have some of them locked. */
    private boolean keepsOrder;

    /** @param nonce of all leases, by which they can be found when the answer is lost */
    public Takes(UnitOfWork unit, long nonce, TenantTurns turns) {
        this.unit = unit;
        this.tx = unit.tx;
        this.nonce = nonce;
        this.turns = turns;
    }

    public List<TakenTask> take(TakeRequest request) {
        QueueRow queue = unit.queues.get(request.queue());
        if (queue.options().tenantLimit() > 0 && tx.dialect().hasOtherWriters()) {
            queue = holdTakes(queue);
        }
        queue.check(request);
        keepsOrder = tx.dialect().hasOtherWriters() && queue.takesInOrder(request);
        String session = request.session().orElse(null);
        if (session != null && tx.first("hold-session", row -> 1, session).isEmpty()) {
            throw new SessionEndedException(session);
        }
        if (queue.paused()) {
            return List.of();
        }
        unit.tasks.flush();
        ReadyScan.of(unit, queue, request, turns).run(request.count(), new ReadyScan.Taker() {
            @Override
            public boolean take(TaskRow row) {
                return lease(row, request, session);
            }

            @Override
            public boolean wrote() {
                return write();
            }
        });
        write();
        return leased.stream().map(TaskRow::taken).toList();
    }

    /**
     * Keeps other takes of the queue away until this one is committed: two at once would both find room for a tenant's last task. The
     * queue may have been changed meanwhile.
     */
    private QueueRow holdTakes(QueueRow queue) {
        String name = "leat takes of queue " + queue.id();
        while (tx.update("hold-lock", name) == 0) {
            tx.update("acquire-lock", name, 0L, Long.MAX_VALUE);
        }
        return unit.queues.reread(queue);
    }

    /** Leases the row; or parks it because another one runs for its key, or leaves it because another one is about to. */
    private boolean lease(TaskRow row, TakeRequest request, @Nullable String session) {
        if (!enterKey(row)) {
            return false;
        }
        Duration ttr = TaskLimits.ttrOfLease(request, Times.durationOrNull(row.ttr));
        row.state = RowState.TAKEN;
        row.counts = row.counts.taken();
        row.nonce = nonce;
        row.session = session;
        row.takenAt = unit.now;
        row.leaseUntil = ttr == null ? 0 : unit.now + Times.micros(ttr);
        unit.timer(row.leaseUntil);
        leased.add(row);
        unwritten.add(row);
        return true;
    }

    private boolean enterKey(TaskRow row) {
        String key = row.key();
        if (key == null) {
            return true;
        }
        if (leftKeys.contains(key)) {
            return false;
        }
        if (!busyKeys.add(key)) {
            parked.add(row);
            return false;
        }
        while (tx.update("enter-key", row.queue.id(), key, row.id) != 1) {
            // Held, the key cannot be freed before the row is seen waiting; gone meanwhile, it can be entered.
            if (tx.update("hold-key", row.queue.id(), key) == 1) {
                parked.add(row);
                return false;
            }
        }
        if (keepsOrder && isAnybodyBefore(row, key)) {
            tx.update("leave-key", row.queue.id(), key, row.id);
            leftKeys.add(key);
            return false;
        }
        return true;
    }

    private boolean isAnybodyBefore(TaskRow row, String key) {
        return tx.first("before-in-line", found -> 1, row.queue.id(), key, row.priority, row.priority, row.id)
                .isPresent();
    }

    private boolean write() {
        boolean any = !unwritten.isEmpty() || !parked.isEmpty();
        Tx.Batch lease = tx.batch("lease");
        for (TaskRow row : unwritten) {
            lease.add(row.nonce, row.session, row.takenAt, Rows.orNull(row.leaseUntil), row.id);
        }
        lease.runAll();
        unwritten.clear();
        Tx.Batch park = tx.batch("park");
        parked.forEach(row -> park.add(row.id));
        park.runAll();
        parked.clear();
        return any;
    }
}
