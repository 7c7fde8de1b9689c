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
 * Takes whose commit was cut off, so that nobody knows whether they got anything. Their leases can be told by the nonce that
 * each take draws before it begins; left alone, they would be held by the heartbeat of their session with nobody at work.
 *
 * <p>Safe from any thread.
 */
public final class LostTakes {
    /** A server may still carry out a commit whose sender has gone. */
    private static final Duration LATEST_COMMIT = Duration.ofMinutes(1);

    private static final long NEVER = 0;

    private record LostTake(String queue, long nonce) {}

    private final Db db;
    private final QueueCache cache;
    /** Since when the database was looked at without finding anything; NEVER before the first look. */
    private final Map<LostTake, Long> unfound = new ConcurrentHashMap<>();

    public LostTakes(Db db, QueueCache cache) {
        this.db = db;
        this.cache = cache;
    }

    /** What the take got. When that is nothing, or cannot be seen now, it is looked for again in {@link #giveBack}. */
    public List<TaskRow> find(String queue, long nonce) {
        LostTake take = new LostTake(queue, nonce);
        List<TaskRow> found = List.of();
        try {
            found = db.read(tx -> leases(new UnitOfWork(tx, cache, Dialect.Access.READ), take));
            return found;
        } finally {
            // Not before: a sweep would give back what is being answered here.
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

    /** Gives back what lost takes got after all, within a turn; what it answers is to be run after the commit. */
    public Runnable giveBack(UnitOfWork unit) {
        List<LostTake> looked = List.copyOf(unfound.keySet());
        List<LostTake> found = new ArrayList<>();
        for (LostTake take : looked) {
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
            looked.forEach(take -> unfound.replace(take, NEVER, now));
            unfound.values().removeIf(since -> since != NEVER && now - since > LATEST_COMMIT.toNanos());
        };
    }
}
