package dev.leat.storage;

import dev.leat.Settle;
import dev.leat.SettleResult;
import java.sql.Connection;

/**
 * A transaction that a handler works in: its effects and the settle of its task are committed together, or not at all. Used by
 * one handler; closed by whoever began it.
 */
public interface HandlerTransaction extends AutoCloseable {
    /**
     * For the handler's statements. The transaction begins with the first call on it. The connection refuses to commit, to roll
     * back, and to be closed.
     */
    Connection connection();

    /**
     * Settles and commits. Any answer but {@link SettleResult.Status#DONE} means that the lease was lost and everything was
     * rolled back; so does an exception, unless the connection broke in the commit. Then nobody knows, and another settle of
     * the same lease finds out: it is refused when the commit went through. {@link #isBlameless} holds for such a failure.
     */
    SettleResult commit(Settle settle);

    /**
     * Whether a failure, of the handler or of {@link #commit}, is a deadlock, a serialization failure or a lost connection: the
     * database wants the same to be done again, and the task is not to be charged.
     */
    boolean isBlameless(Throwable failure);

    /** Rolls back what is not committed, and lets the connection go. */
    @Override
    void close();
}
