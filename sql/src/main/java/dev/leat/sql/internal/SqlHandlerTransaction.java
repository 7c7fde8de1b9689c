package dev.leat.sql.internal;

import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.HandlerConnection;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Settling;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.HandlerTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A handler's transaction on its own connection. The transaction begins with a savepoint. If the savepoint is gone at the commit, a deadlock, a
 * COMMIT in SQL or a change of tables has ended the transaction; then the rest is rolled back, not half committed.
 *
 * <p>Used by one thread at a time.
 */
final class SqlHandlerTransaction implements HandlerTransaction {
    private static final String GUARD = "leat_handler";

    private final Db db;
    private final QueueCache cache;
    private final AfterCommit afterCommit;
    private final SqlSettles settles;
    private final SqlSessions sessions;
    private final Connection connection = HandlerConnection.of(this::begun);
    private boolean over;
    private boolean lost;
    private @Nullable Tx tx;
    private @Nullable Savepoint guard;

    SqlHandlerTransaction(Db db, QueueCache cache, AfterCommit afterCommit, SqlSettles settles, SqlSessions sessions) {
        this.db = db;
        this.cache = cache;
        this.afterCommit = afterCommit;
        this.settles = settles;
        this.sessions = sessions;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    private synchronized Connection begun() throws SQLException {
        return begin().connection();
    }

    private Tx begin() throws SQLException {
        if (over) {
            throw new SQLException("the handler's transaction is over, and its connection is no longer the handler's");
        }
        if (tx == null) {
            tx = db.beginHandler();
            guard = tx.connection().setSavepoint(GUARD);
        }
        return tx;
    }

    @Override
    public synchronized SettleResult commit(Settle settle) {
        Tx own = beginOrFail();
        UnitOfWork unit = new UnitOfWork(own, cache, Dialect.Access.WRITE);
        SettleResult result = settle(unit, settle);
        if (result.status() != SettleResult.Status.DONE) {
            close();
            return result;
        }
        unit.finish();
        try {
            db.commit(own);
        } catch (Tx.Failure e) {
            letGo(own);
            if (e.isInDoubt()) {
                return afterDoubt(settle, e);
            }
            throw e;
        }
        letGo(own);
        afterCommit.committed(unit);
        return result;
    }

    private Tx beginOrFail() {
        try {
            Tx own = begin();
            own.connection().releaseSavepoint(guard);
            db.dialect().beforeSettle(own.connection());
            return own;
        } catch (SQLException e) {
            throw new Tx.Failure(
                    db.dialect(),
                    "The transaction of the handler ended, or failed, before the handler returned; its commit",
                    e);
        }
    }

    /** A lease over its time limit is lost, even before a sweep has ended it. */
    private static SettleResult settle(UnitOfWork unit, Settle settle) {
        if (unit.isAnythingDue()) {
            TaskRow row = unit.tasks.find(settle.lease().taskId());
            if (row != null && row.timerAt() != 0 && row.timerAt() <= unit.now) {
                return SettleResult.gone();
            }
        }
        return new Settling(unit).settle(List.of(settle)).get(0);
    }

    /**
     * The connection broke in the commit. A release on another connection waits for that commit, and is refused if it succeeded. An accepted
     * release means that nothing was committed, and the task runs again.
     */
    private SettleResult afterDoubt(Settle settle, Tx.Failure doubt) {
        try {
            SettleResult released = settleOutside(Settle.release(settle.lease()));
            if (released.status() == SettleResult.Status.DONE) {
                throw doubt;
            }
            SettleResult again = settleOutside(settle);
            return again.accepted() ? SettleResult.done(again.queue(), again.state()) : again;
        } catch (StorageException e) {
            if (e != doubt) {
                doubt.addSuppressed(e);
            }
            throw doubt;
        }
    }

    private SettleResult settleOutside(Settle settle) {
        return settles.settle(List.of(settle)).get(0);
    }

    @Override
    public boolean isBlameless(Throwable failure) {
        if (lost) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException error && db.dialect().trouble(error) == Dialect.Trouble.TRY_AGAIN) {
                return true;
            }
            if (cause instanceof Tx.Failure own
                    && (own.trouble == Dialect.Trouble.TRY_AGAIN || own.trouble == Dialect.Trouble.LOST)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public synchronized void close() {
        over = true;
        if (tx != null) {
            lost = !db.rollback(tx);
            letGo(tx);
        }
    }

    private void letGo(Tx own) {
        over = true;
        tx = null;
        try {
            sessions.writeKept(db.leaveHandler());
        } finally {
            db.giveBackHandler(own);
        }
    }
}
