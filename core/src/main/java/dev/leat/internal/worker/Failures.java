package dev.leat.internal.worker;

import dev.leat.Settle;
import dev.leat.Task;
import dev.leat.internal.InWords;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.LeasedTask;
import dev.leat.storage.Transition;
import dev.leat.worker.Failure;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reports failed attempts, and tasks that their handlers buried, to the log and to the worker's listeners, on the thread of the processor.
 *
 * <p>It computes what becomes of the task by the rules of all storages, from the options of the queue and the counters of the task, and asks no
 * storage. It does not see changes since the take, such as a delete by an operator, nor what a failed task means for its group.
 */
final class Failures implements AutoCloseable {
    /** Users set the level of this logger. */
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    /** The middle of a backoff's jitter. */
    private static final double MIDDLE = 0.5;

    private final List<Consumer<? super Failure>> listeners;
    private final LogContext context;
    private final RepeatLimit limit;

    /** @param later runs a task after a delay */
    Failures(List<Consumer<? super Failure>> listeners, LogContext context, BiConsumer<Runnable, Duration> later) {
        this.listeners = listeners;
        this.context = context;
        this.limit = new RepeatLimit(log, later);
    }

    /** Whether a report can take long. */
    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** Reports a failed attempt; {@code settle} is its settle, written or not. */
    void report(Execution execution, Settle settle, @Nullable Throwable error) {
        if (listeners.isEmpty() && !log.isErrorEnabled()) {
            return; // saves reading the options of the queue
        }
        try (LogContext.Restore before = context.enter(List.of(execution))) {
            Ending ending = ending(execution, settle);
            // A retry with a chosen time is planned, and no error.
            boolean isPlanned = settle instanceof Settle.Retry && !ending.isLast();
            if (ending.way() == Transition.Way.CANCELED || isPlanned) {
                log.debug("Task {} of queue '{}': {}", execution.id(), execution.queue().name, settle.message());
                return;
            }
            Level level = ending.isLast() && !(settle instanceof Settle.Bury) ? Level.ERROR : Level.WARN;
            writeLine(level, execution.task(), ending, settle.message(), error);
            callListeners(new Failure(
                    execution.task(),
                    execution.task().attempts(),
                    settle.message(),
                    Optional.ofNullable(error),
                    ending.isLast(),
                    ending.next()));
        } catch (RuntimeException | Error e) {
            log.error("The failure of task {} could not be reported", execution.id(), e);
        }
    }

    /** What follows a failed attempt. */
    private record Ending(Transition.Way way, String attempt, Optional<Instant> next, Instant now) {
        boolean isLast() {
            return way != Transition.Way.BACK;
        }
    }

    private static Ending ending(Execution execution, Settle settle) {
        Task task = execution.task();
        QueueOptions options = execution.queue().currentOptions(execution.leat());
        Instant now = Instant.now();
        LeasedTask delivery = new LeasedTask(
                options,
                task.failures(),
                task.losses(),
                task.due(),
                task.expires(),
                task.deadOf().isPresent(),
                execution.cancelRequested(),
                Optional.empty(),
                false);
        boolean isBuried = settle instanceof Settle.Bury;
        boolean isLoss = execution.isOverTimeLimit() && !isBuried;
        Transition transition =
                isLoss ? Transition.lost(delivery, now) : Transition.settled(settle, delivery, now, MIDDLE);
        Optional<Instant> next =
                transition.way() == Transition.Way.BACK ? Optional.of(transition.due()) : Optional.empty();
        String attempt = isBuried
                ? "was given up by its handler at attempt " + task.attempts()
                : isLoss ? lossOf(task, options) : attemptOf(task, options.retry());
        return new Ending(transition.way(), attempt, next, now);
    }

    private static String lossOf(Task task, QueueOptions options) {
        return "was interrupted at its time limit of "
                + InWords.duration(task.ttr().or(options::ttr).orElse(Duration.ZERO)) + " at attempt "
                + task.attempts();
    }

    /** Names the failure of the limit; releases do not count, and losses only if the queue charges them together. */
    private static String attemptOf(Task task, RetryPolicy retry) {
        int counted = task.failures() + 1 + (retry.charge() == RetryPolicy.Charge.TOGETHER ? task.losses() : 0);
        String attempt = "failed at attempt " + task.attempts();
        if (retry.maxFailures() == RetryPolicy.UNLIMITED) {
            return attempt;
        }
        boolean areAllCounted = counted == task.attempts();
        return attempt + (areAllCounted ? "" : ", failure " + counted) + " of " + retry.maxFailures();
    }

    private void writeLine(Level level, Task task, Ending ending, String message, @Nullable Throwable error) {
        if (!log.isEnabledForLevel(level)) {
            return;
        }
        String line = "Task " + task.id() + " of queue '" + task.queue() + "' " + ending.attempt() + " and "
                + whatFollows(ending) + ": " + message;
        if (limit.admits(RepeatLimit.Kind.of(level, task.queue(), error), line)) {
            write(level, line, error);
        }
    }

    private static void write(Level level, String line, @Nullable Throwable error) {
        try {
            log.atLevel(level).setCause(error).log(line);
        } catch (RuntimeException | Error e) {
            log.atLevel(level).log(line); // getMessage() has thrown, so the stack trace cannot be printed
        }
    }

    private static String whatFollows(Ending ending) {
        return switch (ending.way()) {
            case BACK ->
                "is tried again "
                        + in(Duration.between(ending.now(), ending.next().orElse(ending.now())));
            case BURIED -> "is buried: it is not tried again until it is kicked";
            case FAILED, FAILED_WITH_GROUP -> "has ended as failed: it is not tried again";
            case FAILED_WITH_DEAD_RUN -> "has ended as failed: its dead handler runs next";
            case EXPIRED -> "has expired: its time to live is over";
            case CANCELED -> "is canceled";
            case DONE -> "is done";
        };
    }

    private static String in(Duration delay) {
        return delay.isNegative() || delay.isZero() ? "at once" : "in about " + InWords.duration(delay);
    }

    private void callListeners(Failure failure) {
        for (Consumer<? super Failure> listener : listeners) {
            try {
                listener.accept(failure);
            } catch (RuntimeException | Error e) {
                String line = "A listener of onFailure threw an exception for task "
                        + failure.task().id() + ": " + e;
                if (limit.admits(RepeatLimit.Kind.of(Level.ERROR, failure.task().queue(), e), line)) {
                    log.error(line, e);
                }
            }
        }
    }

    /** Logs the counts of repeated failures. */
    @Override
    public void close() {
        limit.close();
    }
}
