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
 * {@link TransactionalHandler} they are noted, and take effect with the commit after the handler has returned.
 */
public interface RunningTask {
    /** The task as it was taken. */
    Task task();

    default long id() {
        return task().id();
    }

    Lease lease();

    /** Where handlers put new tasks. */
    Leat leat();

    /** When the time limit takes the task away; empty when there is none. The handler is interrupted then. */
    Optional<Instant> leaseUntil();

    /** Whether somebody wants this task to stop, so that a long handler can end early. It is interrupted, too. */
    boolean cancelRequested();

    /** Acknowledges at once, instead of when the handler returns. */
    default SettleResult ack() {
        return ack("");
    }

    /** Acknowledges with a message that is kept with the finished task. */
    SettleResult ack(String message);

    /** Acknowledges with a value for whoever waits for this task; written by a codec. */
    SettleResult ackWith(Object result);

    default SettleResult fail(String message) {
        return fail(message, 0);
    }

    /** Fails with an exception, as if the handler had thrown it: its class and its stack trace are kept with the attempt. */
    SettleResult fail(Throwable failure);

    /** Fails with a message and a code of the caller's own. */
    SettleResult fail(String message, int code);

    /** Fails, to be tried again at a chosen moment. */
    SettleResult retry(When due, String message);

    /** Gives the task back without blame, to come again at once. */
    default SettleResult release() {
        return release(Duration.ZERO);
    }

    /** Gives the task back without blame, to come again after {@code delay}. */
    SettleResult release(Duration delay);

    /** Puts the task aside for a human. */
    SettleResult bury(String message);

    /** Ends the task as canceled: nobody needs it any more. */
    SettleResult cancel(String reason);

    /** Asks for more time before the time limit. */
    Touch.Result touch(Duration by);

    /**
     * Tells those who wait for this task, and have asked for parts, that this part of its result is there, and all before it: write it
     * where they find it first. It is told at once, in a {@link TransactionalHandler} too. Parts count from 1, and from the beginning again
     * in another attempt. Answers false when the lease is lost.
     */
    boolean chunk(int number);

    /**
     * Waits for something, such as another task, without holding this worker's slot: meanwhile another task may run in
     * it. {@link Outcomes} does so by itself; a handler that waits for tasks of its own worker in another way must wait in here,
     * or the two may wait for each other.
     */
    <T> T awaiting(Callable<T> wait) throws Exception;
}
