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
 * Tasks of a served queue that are for other workers. No storage can take without them: they are given back as if they had never been
 * taken, and come again after a delay, so that they keep nothing behind them from being taken.
 *
 * <p>The delay grows each time, from one that hardly matters where the right worker serves the queue, too, to one at which many tasks
 * without a worker do little harm. It grows by half: two processes that are equally quick to take win every other time, and with a delay that
 * doubled, the few tasks that lose often would be most of the waiting. It needs no memory: a task tells how long it took to come back the
 * last time.
 */
final class UnhandledTasks {
    private static final Logger log = LoggerFactory.getLogger(UnhandledTasks.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

    private final String queue;
    /** What to leave beside that for which there is no handler; said before the worker starts. */
    private Predicate<Task> left = task -> false;

    private final AtomicBoolean told = new AtomicBoolean();

    UnhandledTasks(String queue) {
        this.queue = queue;
    }

    void leave(Predicate<Task> toOthers) {
        left = left.or(toOthers);
    }

    boolean isLeft(Task task) {
        return left.test(task);
    }

    /** Worth one word: if there is no other worker, they wait for ever. */
    Settle giveBack(TakenTask taken) {
        Task task = taken.task();
        if (told.compareAndSet(false, true)) {
            log.warn(
                    "Queue '{}' has tasks that this worker leaves to others, such as task {}{}. They come again up to once a minute"
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
