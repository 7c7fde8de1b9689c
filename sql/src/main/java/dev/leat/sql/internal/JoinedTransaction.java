package dev.leat.sql.internal;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.TaskState;
import dev.leat.error.AddressInDoubtException;
import dev.leat.error.EquivalentInDoubtException;
import dev.leat.error.InvalidRequestException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Puts;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.CallerTransaction;
import dev.leat.storage.GroupPut;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Puts in the caller's transaction. Each put runs behind a savepoint, so that a refused put leaves the transaction as it was.
 */
final class JoinedTransaction implements CallerTransaction {
    private final Connection connection;
    private final Db db;
    private final QueueCache cache;
    private final Peers peers;
    private final Consumer<UnitOfWork> joined;

    /** @param joined called with each unit of work that became part of the transaction */
    JoinedTransaction(Connection connection, Db db, QueueCache cache, Peers peers, Consumer<UnitOfWork> joined) {
        this.connection = connection;
        this.db = db;
        this.cache = cache;
        this.peers = peers;
        this.joined = joined;
    }

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        return put(tasks, puts -> puts.put(tasks), results -> results);
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        return put(tasks, puts -> puts.putGroup(spec, tasks), GroupPut::tasks);
    }

    /** @param results reads the results of the tasks from the answer of {@code put} */
    private <T> T put(List<NewTask> tasks, Function<Puts, T> put, Function<T, List<PutResult>> results) {
        checkInTransaction();
        boolean addressed = tasks.stream().anyMatch(task -> task.address().isPresent());
        return db.joining(connection, tx -> {
            Supplier<T> work = () -> putAndTell(tx, tasks, put, results);
            try {
                return behindSavepoint(tx, work, addressed);
            } catch (Tx.Failure e) {
                if (e.trouble == Dialect.Trouble.WAITED_TOO_LONG && addressed) {
                    throw new AddressInDoubtException(e);
                } else if (e.trouble == Dialect.Trouble.WAITED_TOO_LONG && Puts.mayBeInDoubt(tasks)) {
                    throw new EquivalentInDoubtException(e);
                } else if (e.trouble == Dialect.Trouble.TAKEN) {
                    // Another transaction has just committed the same address or name: the second try sees it.
                    return behindSavepoint(tx, work, addressed);
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

    private <T> T behindSavepoint(Tx tx, Supplier<T> work, boolean addressed) {
        try {
            Savepoint before = connection.setSavepoint();
            try {
                T result = addressed ? db.dialect().notWaitingLong(tx, work) : work.get();
                connection.releaseSavepoint(before);
                return result;
            } catch (RuntimeException e) {
                rollback(before, e);
                throw e;
            }
        } catch (SQLException e) {
            throw new Tx.Failure(db.dialect(), "A savepoint", e);
        }
    }

    /** A deadlock may have ended the whole transaction already, so a failed rollback does not hide the reason. */
    private void rollback(Savepoint before, RuntimeException reason) {
        try {
            connection.rollback(before);
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private <T> T putAndTell(Tx tx, List<NewTask> tasks, Function<Puts, T> put, Function<T, List<PutResult>> results) {
        UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
        T answer = put.apply(new Puts(unit));
        unit.finish();
        joined.accept(unit);
        record Lane(String queue, int priority) {}
        Map<Lane, Long> firsts = new LinkedHashMap<>();
        unit.fresh().forEach(row -> firsts.merge(new Lane(row.queue.name(), row.priority), row.id, Math::min));
        firsts.forEach((lane, id) -> peers.tellFresh(tx, lane.queue, lane.priority, id));
        Set<String> delayed = new LinkedHashSet<>();
        for (int i = 0; i < tasks.size(); i++) {
            if (results.apply(answer).get(i).state() == TaskState.SCHEDULED) {
                delayed.add(tasks.get(i).queue());
            }
        }
        delayed.forEach(queue -> peers.tellTimer(tx, queue));
        return answer;
    }
}
