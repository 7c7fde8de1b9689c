package dev.leat.worker;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.Outcomes;
import dev.leat.SettleResult;
import dev.leat.Task;
import dev.leat.Touch;
import dev.leat.When;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A task while its handler runs. The settling methods take effect at once, and only the first one counts. In a
 * {@link TransactionalHandler} they take effect with the commit, after the handler has returned.
 */
public interface RunningTask {
    /** The task as it was taken. */
    Task task();

    default long id() {
        return task().id();
    }

    Lease lease();

    /** The Leat of the worker, to put new tasks. */
    Leat leat();

    /** When the time limit ends the lease and interrupts the handler; empty for no time limit. */
    Optional<Instant> leaseUntil();

    /** Whether an operator has asked the task to stop, so that a long handler can end early. The handler is interrupted too. */
    boolean cancelRequested();

    /** Acknowledges at once, instead of when the handler returns. */
    default SettleResult ack() {
        return ack("");
    }

    /** Acknowledges with a message that is kept with the finished task. */
    SettleResult ack(String message);

    /** Acknowledges with a result for the callers that wait for this task; a codec writes it. */
    SettleResult ackWith(Object result);

    default SettleResult fail(String message) {
        return fail(message, 0);
    }

    /** Fails with an exception, as if the handler had thrown it; its class and stack trace are kept with the attempt. */
    SettleResult fail(Throwable failure);

    /** Fails with a message and a failure code, a number of the handler's own. */
    SettleResult fail(String message, int failureCode);

    /** Fails, and names the time of the next attempt. */
    SettleResult retry(When due, String message);

    /** Returns the task without a charge, at once. */
    default SettleResult release() {
        return release(Duration.ZERO);
    }

    /** Returns the task without a charge, after {@code delay}. */
    SettleResult release(Duration delay);

    /** Puts the task on the dead-letter list. */
    SettleResult bury(String message);

    /** Ends the task as CANCELED, because it is not needed any more. */
    SettleResult cancel(String reason);

    /** Moves the time limit. */
    Touch.Result touch(Duration by);

    /**
     * Reports to callers that wait for chunks that the chunk {@code number} and all chunks before it are ready. Store the chunk first, where the
     * callers find it. The report takes effect at once, in a {@link TransactionalHandler} too. Chunks count from 1, and from 1 again in the
     * next attempt. Returns false when the lease is lost.
     */
    boolean chunk(int number);

    /**
     * Runs a wait, such as for another task, and lends the handler's slot to other tasks meanwhile. {@link Outcomes} does this by itself. Put any
     * other wait for tasks of the same worker in here, or both tasks can wait for each other for ever.
     */
    <T> T awaiting(Callable<T> wait) throws Exception;
}
