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
 * Tells the log and the worker's listeners of failed attempts, and of tasks that their handlers buried, on the thread of the
 * processor that ran the handler.
 *
 * <p>What becomes of the task is worked out here, by the rules that every storage follows, from the options of the queue
 * and the counters of the task. So it is the same on every storage, and costs no question to it. What happened to the
 * task meanwhile is not known here: an operator may have deleted it, or canceled its group. Nor is it known what a failed
 * task means for its group.
 */
final class Failures implements AutoCloseable {
    /** The name under which users set the level. */
    private static final Logger log = LoggerFactory.getLogger(Worker.class);
    /** The middle of a backoff's jitter. */
    private static final double MIDDLE = 0.5;

    private final List<Consumer<? super Failure>> listeners;
    private final LogContext context;
    private final RepeatLimit limit;

    /** @param later runs something when a time is over */
    Failures(List<Consumer<? super Failure>> listeners, LogContext context, BiConsumer<Runnable, Duration> later) {
        this.listeners = listeners;
        this.context = context;
        this.limit = new RepeatLimit(log, later);
    }

    /** Whether telling of a failure may take long. */
    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** The attempt has failed; {@code settle} is how it was, or is to be, settled. */
    void report(Execution execution, Settle settle, @Nullable Throwable error) {
        if (listeners.isEmpty() && !log.isErrorEnabled()) {
            return; // the options of the queue may have to be read for the line
        }
        try (LogContext.Restore before = context.enter(List.of(execution))) {
            Ending ending = ending(execution, settle);
            // A handler that chooses the time of the next attempt has not met an error.
            boolean isPlanned = settle instanceof Settle.Retry && !ending.isLast();
            if (ending.way() == Transition.Way.CANCELED || isPlanned) {
                log.debug("Task {} of queue '{}': {}", execution.id(), execution.queue().name, settle.message());
                return;
            }
            Level level = ending.isLast() && !(settle instanceof Settle.Bury) ? Level.ERROR : Level.WARN;
            writeLine(level, execution.task(), ending, settle.message(), error);
            tellListeners(new Failure(
                    execution.task(),
                    execution.task().attempts(),
                    settle.message(),
                    Optional.ofNullable(error),
                    ending.isLast(),
                    ending.next()));
        } catch (RuntimeException | Error e) {
            log.error("The failure of task {} could not be told", execution.id(), e);
        }
    }

    /** What becomes of a task whose attempt failed. */
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
        Transition verdict =
                isLoss ? Transition.lost(delivery, now) : Transition.settled(settle, delivery, now, MIDDLE);
        Optional<Instant> next = verdict.way() == Transition.Way.BACK ? Optional.of(verdict.due()) : Optional.empty();
        String attempt = isBuried
                ? "was given up by its handler at attempt " + task.attempts()
                : isLoss ? lossOf(task, options) : attemptOf(task, options.retry());
        return new Ending(verdict.way(), attempt, next, now);
    }

    private static String lossOf(Task task, QueueOptions options) {
        return "was interrupted at its time limit of "
                + InWords.duration(task.ttr().or(options::ttr).orElse(Duration.ZERO)) + " at attempt "
                + task.attempts();
    }

    /** Attempts that were released or lost are not held against the limit, unless the queue counts losses too. */
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
            log.atLevel(level).log(line); // an exception whose message cannot be read has no stack trace to print
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

    private void tellListeners(Failure failure) {
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

    /** Tells what repeated itself and was only counted. */
    @Override
    public void close() {
        limit.close();
    }
}
