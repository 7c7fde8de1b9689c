package dev.leat.sql.internal.fast;

import dev.leat.Lease;
import dev.leat.Settle;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.operation.Settling;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes with an unknown result, because the connection broke during the commit. Such a take may have leased tasks that no
 * worker runs, and the session's heartbeat would keep those leases. Each take draws a random nonce first, which finds them.
 *
 * <p>Safe from any thread.
 */
public final class LostTakes {
    /** A server can still complete the commit this long after the connection broke. */
    private static final Duration LATEST_COMMIT = Duration.ofMinutes(1);

    private static final long NEVER = 0;

    private record LostTake(String queue, long nonce) {}

    private final Db db;
    private final QueueCache cache;
    /** When a read first found no lease of the take; NEVER before that read. */
    private final Map<LostTake, Long> unfound = new ConcurrentHashMap<>();

    public LostTakes(Db db, QueueCache cache) {
        this.db = db;
        this.cache = cache;
    }

    /** The tasks that the take leased. If there are none, or the read fails, {@link #giveBack} reads again. */
    public List<TaskRow> find(String queue, long nonce) {
        LostTake take = new LostTake(queue, nonce);
        List<TaskRow> found = List.of();
        try {
            found = db.read(tx -> leases(new UnitOfWork(tx, cache, Dialect.Access.READ), take));
            return found;
        } finally {
            // Only now, because a sweep would give back the tasks that this call returns.
            if (found.isEmpty()) {
                unfound.put(take, NEVER);
            }
        }
    }

    private static List<TaskRow> leases(UnitOfWork unit, LostTake take) {
        QueueRow queue = unit.queues.find(take.queue);
        return queue == null ? List.of() : unit.tx.list("leased-under", unit.rows::live, queue.id(), take.nonce);
    }

    public boolean isAnyUnfound() {
        return !unfound.isEmpty();
    }

    /** Gives back the tasks of lost takes, in a unit of work; the caller runs the result after the commit. */
    public Runnable giveBack(UnitOfWork unit) {
        List<LostTake> searched = List.copyOf(unfound.keySet());
        List<LostTake> found = new ArrayList<>();
        for (LostTake take : searched) {
            List<Settle> settles = leases(unit, take).stream()
                    .<Settle>map(row -> Settle.giveBack(Lease.of(row.id, row.nonce)))
                    .toList();
            if (!settles.isEmpty()) {
                new Settling(unit).settle(settles);
                found.add(take);
            }
        }
        return () -> {
            found.forEach(unfound::remove);
            long now = System.nanoTime();
            searched.forEach(take -> unfound.replace(take, NEVER, now));
            unfound.values().removeIf(since -> since != NEVER && now - since > LATEST_COMMIT.toNanos());
        };
    }
}
