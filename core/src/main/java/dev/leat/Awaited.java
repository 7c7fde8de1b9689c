package dev.leat;

import java.util.Optional;

/** The answer to a caller that waited for a task. */
public sealed interface Awaited {

    /** The task has ended, or is buried, which ends the waiting too. */
    record Ended(Outcome outcome) implements Awaited {}

    /**
     * The task runs and has reported a chunk of its result; only for callers that wait for chunks.
     *
     * @param number the last chunk so far
     */
    record Chunk(long taskId, int number) implements Awaited {}

    /** The timeout is over and the task is live. */
    record TimedOut(long taskId) implements Awaited {}

    /** No live task has the address: no caller has put one, or the task ended before the call. */
    record NotThere(String queue, String address) implements Awaited {}

    /** The outcome, if the task has ended. */
    default Optional<Outcome> ended() {
        return this instanceof Ended ended ? Optional.of(ended.outcome()) : Optional.empty();
    }
}
