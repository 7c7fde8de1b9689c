package dev.leat.sql.internal;

import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.fast.LostTakes;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Takes;
import dev.leat.sql.internal.operation.TenantTurns;
import dev.leat.sql.internal.row.TaskRow;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes by the fast path, and the other takes as units of work. */
final class SqlTakes {
    /** How often a take is tried if each commit breaks off and has taken nothing. */
    private static final int MOST_TRIES = 3;

    private final UnitRunner units;
    private final @Nullable FastPath fastPath;
    private final LostTakes lostTakes;
    private final AfterCommit afterCommit;
    private final TenantTurns tenantTurns = new TenantTurns();
    private final SecureRandom nonces = new SecureRandom();

    SqlTakes(UnitRunner units, @Nullable FastPath fastPath, LostTakes lostTakes, AfterCommit afterCommit) {
        this.units = units;
        this.fastPath = fastPath;
        this.lostTakes = lostTakes;
        this.afterCommit = afterCommit;
    }

    List<TakenTask> take(TakeRequest request) {
        Optional<List<TakenTask>> fast = Optional.empty();
        if (fastPath != null) {
            units.catchUpIfSweeperIsLate();
            fast = fastPath.take(request);
        }
        return fast.isPresent() ? fast.get() : takeInUnit(request);
    }

    private List<TakenTask> takeInUnit(TakeRequest request) {
        for (int tries = 1; ; tries++) {
            long nonce = nonces.nextLong();
            try {
                return units.write(unit -> new Takes(unit, nonce, tenantTurns).take(request));
            } catch (Tx.Failure e) {
                if (!e.isInDoubt()) {
                    throw e;
                }
                List<TaskRow> found = lostTakes.find(request.queue(), nonce);
                if (!found.isEmpty()) {
                    found.forEach(row -> afterCommit.timer(row.timerAt()));
                    return found.stream().map(TaskRow::taken).toList();
                }
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }
}
