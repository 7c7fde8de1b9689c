package dev.leat.internal.worker;

import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.Task;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back tasks that other workers are to run. A take cannot exclude them, so they come again after a delay and do not block the tasks behind
 * them.
 *
 * <p>The delay starts at 100 ms, which hardly matters if the right worker serves the queue too. It grows by half to a minute, at which many tasks
 * without a worker do little harm. Two equally quick workers win every other take; a doubling delay would make the few tasks that lose often wait
 * longest. The last delay is the difference of the task's due times, so nothing is remembered here.
 */
final class UnhandledTasks {
    private static final Logger log = LoggerFactory.getLogger(UnhandledTasks.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

    private final String queue;
    /** The tasks that {@code leave} names; set before the worker starts. */
    private Predicate<Task> left = task -> false;

    private final AtomicBoolean warned = new AtomicBoolean();

    UnhandledTasks(String queue) {
        this.queue = queue;
    }

    void leave(Predicate<Task> toOthers) {
        left = left.or(toOthers);
    }

    boolean isLeft(Task task) {
        return left.test(task);
    }

    /** Gives the task back, and warns once: without another worker these tasks wait for ever. */
    Settle giveBack(TakenTask taken) {
        Task task = taken.task();
        if (warned.compareAndSet(false, true)) {
            log.warn(
                    "Queue '{}' has tasks that this worker leaves to other workers, such as task {}{}. They come again up to once a minute"
                            + " until another worker takes them.",
                    queue,
                    task.id(),
                    task.subscriber()
                            .map(id -> " for subscription '" + id + "'")
                            .orElse(""));
        }
        return Settle.giveBack(taken.lease(), delay(task));
    }

    static Duration delay(Task task) {
        Duration longer = task.previousDue()
                .map(before ->
                        Duration.between(before, task.due()).multipliedBy(3).dividedBy(2))
                .orElse(Duration.ZERO);
        if (longer.compareTo(FIRST_DELAY) < 0) {
            return FIRST_DELAY;
        }
        return longer.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : longer;
    }
}
