package dev.leat.tenant.internal;

import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.SettleResult;
import dev.leat.Task;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.worker.RunningTask;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Records how a handler settles its task until its work is committed: a task that was acknowledged before would be gone when
 * the commit fails.
 */
public final class SettleLater implements RunningTask {
    private final RunningTask task;
    private @Nullable Runnable chosen;

    public SettleLater(RunningTask task) {
        this.task = task;
    }

    /** Settles as the handler has chosen, if it has. */
    public synchronized void settle() {
        if (chosen != null) {
            chosen.run();
        }
    }

    private synchronized SettleResult choose(Runnable outcome) {
        if (chosen != null) {
            return SettleResult.gone();
        }
        chosen = outcome;
        return SettleResult.pending(task.task().queue());
    }

    @Override
    public SettleResult ack(String message) {
        return choose(() -> task.ack(message));
    }

    @Override
    public SettleResult ackWith(Object result) {
        return choose(() -> task.ackWith(result));
    }

    @Override
    public SettleResult fail(String message, int code) {
        return choose(() -> task.fail(message, code));
    }

    @Override
    public SettleResult fail(Throwable failure) {
        return choose(() -> task.fail(failure));
    }

    @Override
    public SettleResult retry(When due, String message) {
        return choose(() -> task.retry(due, message));
    }

    @Override
    public SettleResult release(Duration delay) {
        return choose(() -> task.release(delay));
    }

    @Override
    public SettleResult bury(String message) {
        return choose(() -> task.bury(message));
    }

    @Override
    public SettleResult cancel(String reason) {
        return choose(() -> task.cancel(reason));
    }

    @Override
    public Task task() {
        return task.task();
    }

    @Override
    public Lease lease() {
        return task.lease();
    }

    @Override
    public Leat leat() {
        return task.leat();
    }

    @Override
    public Optional<Instant> leaseUntil() {
        return task.leaseUntil();
    }

    @Override
    public boolean cancelRequested() {
        return task.cancelRequested();
    }

    @Override
    public Touch.Result touch(Duration by) {
        return task.touch(by);
    }

    @Override
    public boolean chunk(int number) {
        return task.chunk(number);
    }

    @Override
    public <T> T awaiting(Callable<T> wait) throws Exception {
        return task.awaiting(wait);
    }
}
