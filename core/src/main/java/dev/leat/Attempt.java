package dev.leat;

import java.time.Instant;
import java.util.Optional;

/**
 * One attempt at a task that did not end in success. The last attempt of a finished task is in the task itself.
 *
 * @param number which attempt of the task it was, from 1
 * @param started when the task was taken
 * @param ended when the attempt ended
 * @param outcome how it ended
 * @param message what the consumer said, or why the lease was lost
 * @param session the session of the consumer; empty for a take without a session
 * @param nextDue when the task was to be tried again; empty when this was the last attempt
 * @param thrown the exception that ended it; empty when the consumer gave only a message, or none
 */
public record Attempt(
        int number,
        Instant started,
        Instant ended,
        Outcome outcome,
        String message,
        Optional<String> session,
        Optional<Instant> nextDue,
        Optional<Thrown> thrown) {

    /** An attempt without an exception. */
    public Attempt(
            int number,
            Instant started,
            Instant ended,
            Outcome outcome,
            String message,
            Optional<String> session,
            Optional<Instant> nextDue) {
        this(number, started, ended, outcome, message, session, nextDue, Optional.empty());
    }

    /** How an attempt can end without success. */
    public enum Outcome {
        FAILED,
        RELEASED,
        BURIED,
        /** The lease was lost by a crash, a disconnect, the time limit or an operator. */
        LOST
    }
}
