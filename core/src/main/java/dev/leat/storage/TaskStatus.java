package dev.leat.storage;

import dev.leat.Outcome;
import dev.leat.TaskState;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.TaskNotFoundException;
import java.util.Optional;
import java.util.function.Function;

/** What a storage answers about a task that a caller waits for. */
public sealed interface TaskStatus {

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Lives, T> lives,
            Function<? super Ended, T> ended,
            Function<? super Forgotten, T> forgotten,
            Function<? super Unknown, T> unknown);

    /**
     * The task has not ended.
     *
     * @param queue the task's queue
     * @param chunk the number of the last chunk that the present holder has reported, 0 for none
     */
    record Lives(String queue, int chunk) implements TaskStatus {
        @Override
        public <T> T match(
                Function<? super Lives, T> lives,
                Function<? super Ended, T> ended,
                Function<? super Forgotten, T> forgotten,
                Function<? super Unknown, T> unknown) {
            return lives.apply(this);
        }
    }

    /**
     * The task has ended, or is buried.
     *
     * @param queue the task's queue
     * @param outcome how the task ended
     */
    record Ended(String queue, Outcome outcome) implements TaskStatus {
        @Override
        public <T> T match(
                Function<? super Lives, T> lives,
                Function<? super Ended, T> ended,
                Function<? super Forgotten, T> forgotten,
                Function<? super Unknown, T> unknown) {
            return ended.apply(this);
        }
    }

    /** The task has ended, and its outcome is no longer kept. */
    record Forgotten() implements TaskStatus {
        @Override
        public <T> T match(
                Function<? super Lives, T> lives,
                Function<? super Ended, T> ended,
                Function<? super Forgotten, T> forgotten,
                Function<? super Unknown, T> unknown) {
            return forgotten.apply(this);
        }
    }

    /** No task ever had this id. */
    record Unknown() implements TaskStatus {
        @Override
        public <T> T match(
                Function<? super Lives, T> lives,
                Function<? super Ended, T> ended,
                Function<? super Forgotten, T> forgotten,
                Function<? super Unknown, T> unknown) {
            return unknown.apply(this);
        }
    }

    /** Whether a task in that state has ended for its waiters, its schedule and the tasks after it (rule 16). */
    static boolean hasEnded(TaskState state) {
        return !state.isLive() || state == TaskState.BURIED;
    }

    /**
     * The status of a task that a storage does not find.
     *
     * @param lastId the largest id that a task has got
     */
    static TaskStatus ofMissing(long taskId, long lastId) {
        return taskId > 0 && taskId <= lastId ? new Forgotten() : new Unknown();
    }

    /** The outcome of the task, or empty while the task lives. */
    default Optional<Outcome> outcome(long taskId) {
        return match(
                lives -> Optional.empty(),
                ended -> Optional.of(ended.outcome()),
                forgotten -> {
                    throw new OutcomeForgottenException(taskId);
                },
                unknown -> {
                    throw new TaskNotFoundException(taskId);
                });
    }
}
