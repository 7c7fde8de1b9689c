package dev.leat;

import java.util.Optional;

/** What somebody who waited for a task has learned. */
public sealed interface Awaited {

    /** The task has ended; being put aside ends it for everybody who waits. */
    record Ended(Outcome outcome) implements Awaited {}

    /**
     * The task runs and says that this part of its result is there, for somebody who asked for parts.
     *
     * @param number the last part there is
     */
    record Chunk(long taskId, int number) implements Awaited {}

    /** The time is over and the task lives: nothing is known of how it will end. */
    record TimedOut(long taskId) implements Awaited {}

    /** No live task has the address: nobody has put one, or it has ended before. */
    record NotThere(String queue, String address) implements Awaited {}

    /** How the task ended, if it has. */
    default Optional<Outcome> ended() {
        return this instanceof Ended ended ? Optional.of(ended.outcome()) : Optional.empty();
    }
}
