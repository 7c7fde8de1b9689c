package dev.leat.sql.internal;

import dev.leat.SessionEndedException;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Takes tasks, within one turn. {@link ReadyScan} brings ready rows in the order that was asked for; here each gets its
 * key and its lease, or is parked behind a busy key, once.
 */
final class Takes {
    /** A take without a session has nobody's liveness to hold it. */
    private static final long SESSIONLESS_TTR = Times.micros(Duration.ofSeconds(60));

    private static final SecureRandom SEEDS = new SecureRandom();

    private final Turn turn;
    private final Tx tx;
    private final SplittableRandom nonces = new SplittableRandom(SEEDS.nextLong());
    private final List<TaskRow> leased = new ArrayList<>();
    private final List<TaskRow> unwritten = new ArrayList<>();
    private final List<TaskRow> parked = new ArrayList<>();
    private final Set<String> busyKeys = new HashSet<>();

    Takes(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
    }

    List<TakenTask> take(TakeRequest request) {
        QueueRow queue = turn.queues.get(request.queue());
        queue.check(request);
        String session = request.session().orElse(null);
        if (session != null && tx.first("session", row -> 1, session).isEmpty()) {
            throw new SessionEndedException(session);
        }
        if (queue.paused()) {
            return List.of();
        }
        turn.tasks.flush();
        ReadyScan.of(turn, queue, request).run(request.count(), new ReadyScan.Taker() {
            @Override
            public boolean take(TaskRow row) {
                return lease(row, request, session);
            }

            @Override
            public void write() {
                Takes.this.write();
            }
        });
        write();
        return leased.stream().map(TaskRow::taken).toList();
    }

    /** Leases the row, or parks it because another one runs for its key. */
    private boolean lease(TaskRow row, TakeRequest request, @Nullable String session) {
        if (!enterKey(row)) {
            parked.add(row);
            return false;
        }
        long ttr = request.ttr().isPresent() ? Times.micros(request.ttr().get()) : row.ttr;
        if (ttr == 0 && session == null) {
            ttr = SESSIONLESS_TTR;
        }
        row.state = RowState.TAKEN;
        row.attempts++;
        row.nonce = nonces.nextLong();
        row.session = session;
        row.takenAt = turn.now;
        row.leaseUntil = ttr == 0 ? 0 : turn.now + ttr;
        turn.timer(row.leaseUntil);
        leased.add(row);
        unwritten.add(row);
        return true;
    }

    private boolean enterKey(TaskRow row) {
        String key = row.key();
        if (key == null) {
            return true;
        }
        if (busyKeys.contains(key)) {
            return false;
        }
        busyKeys.add(key);
        return tx.update("enter-key", row.queue.id(), key, row.id) == 1;
    }

    private void write() {
        Tx.Batch lease = tx.batch("lease");
        for (TaskRow row : unwritten) {
            lease.add(row.nonce, row.session, row.takenAt, Rows.orNull(row.leaseUntil), row.id);
        }
        lease.run();
        unwritten.clear();
        Tx.Batch park = tx.batch("park");
        parked.forEach(row -> park.add(row.id));
        park.run();
        parked.clear();
    }
}
