package dev.leat.sql.internal;

import dev.leat.AddressInDoubtException;
import dev.leat.EquivalentInDoubtException;
import dev.leat.InvalidRequestException;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.TaskState;
import dev.leat.storage.CallerTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts in a transaction of the caller's. What is refused leaves his transaction as it was, because it is done behind a
 * savepoint.
 */
final class JoinedTransaction implements CallerTransaction {
    private final Connection connection;
    private final Db db;
    private final QueueCache cache;
    private final Neighbours neighbours;

    JoinedTransaction(Connection connection, Db db, QueueCache cache, Neighbours neighbours) {
        this.connection = connection;
        this.db = db;
        this.cache = cache;
        this.neighbours = neighbours;
    }

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        checkInTransaction();
        boolean addressed = tasks.stream().anyMatch(task -> task.address().isPresent());
        return db.joining(connection, tx -> {
            try {
                return putBehindSavepoint(tx, tasks, addressed);
            } catch (Tx.Failure e) {
                if (e.trouble == Dialect.Trouble.WAITED_TOO_LONG && addressed) {
                    throw new AddressInDoubtException(e);
                } else if (e.trouble == Dialect.Trouble.WAITED_TOO_LONG && Puts.mayBeInDoubt(tasks)) {
                    throw new EquivalentInDoubtException(e);
                } else if (e.trouble == Dialect.Trouble.TAKEN) {
                    // Another transaction has just committed the same address: now it can be seen.
                    return putBehindSavepoint(tx, tasks, addressed);
                }
                throw e;
            }
        });
    }

    private void checkInTransaction() {
        try {
            if (connection.getAutoCommit()) {
                throw new InvalidRequestException(
                        "connection", "is in autocommit mode; begin a transaction with setAutoCommit(false)");
            }
        } catch (SQLException e) {
            throw new Tx.Failure(db.dialect(), "Looking at the connection", e);
        }
    }

    private List<PutResult> putBehindSavepoint(Tx tx, List<NewTask> tasks, boolean addressed) {
        try {
            Savepoint before = connection.setSavepoint();
            try {
                List<PutResult> results =
                        addressed ? db.dialect().notWaitingLong(tx, () -> put(tx, tasks)) : put(tx, tasks);
                connection.releaseSavepoint(before);
                return results;
            } catch (RuntimeException e) {
                rollback(before, e);
                throw e;
            }
        } catch (SQLException e) {
            throw new Tx.Failure(db.dialect(), "A savepoint", e);
        }
    }

    /** A deadlock may have ended the whole transaction already; what counts is the reason. */
    private void rollback(Savepoint before, RuntimeException reason) {
        try {
            connection.rollback(before);
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private List<PutResult> put(Tx tx, List<NewTask> tasks) {
        Turn turn = new Turn(tx, cache, Dialect.Access.WRITE);
        List<PutResult> results = new Puts(turn).put(tasks);
        turn.finish();
        record Lane(String queue, int priority) {}
        Map<Lane, Long> firsts = new LinkedHashMap<>();
        turn.fresh().forEach(row -> firsts.merge(new Lane(row.queue.name(), row.priority), row.id, Math::min));
        firsts.forEach((lane, id) -> neighbours.tellFresh(tx, lane.queue, lane.priority, id));
        Set<String> delayed = new LinkedHashSet<>();
        for (int i = 0; i < tasks.size(); i++) {
            if (results.get(i).state() == TaskState.SCHEDULED) {
                delayed.add(tasks.get(i).queue());
            }
        }
        delayed.forEach(queue -> neighbours.tellTimer(tx, queue));
        return results;
    }
}
