package dev.leat.storage;

import dev.leat.Settle;
import dev.leat.SettleResult;
import java.sql.Connection;

/**
 * A transaction for a handler: its effects and the settle of its task are committed together, or not at all. Used by one handler; closed by the
 * worker that began it.
 */
public interface HandlerTransaction extends AutoCloseable {
    /**
     * The connection for the handler's statements. The first call on the connection begins the transaction. The connection refuses commit,
     * rollback and close.
     */
    Connection connection();

    /**
     * Settles and commits. Any answer but {@link SettleResult.Status#DONE} means that the lease was lost and everything was rolled back. An
     * exception means a rollback too, unless the connection broke in the commit. Then another settle of the same lease tells the result: it is
     * refused if the commit succeeded. {@link #isBlameless} is true for such a failure.
     */
    SettleResult commit(Settle settle);

    /**
     * Whether a failure of the handler or of {@link #commit} is a deadlock, a serialization failure or a lost connection. The task then runs again
     * without a charge.
     */
    boolean isBlameless(Throwable failure);

    /** Rolls back unless committed, and gives the connection back. */
    @Override
    void close();
}
