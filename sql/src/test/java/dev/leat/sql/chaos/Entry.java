package dev.leat.sql.chaos;

import java.util.List;

/**
 * One line of the ledger.
 *
 * @param process who writes it
 * @param since when the call began that it tells of; times are {@link System#nanoTime}, which all processes of a machine share
 * @param at when the call had its answer, or the event happened
 * @param task 0 where the event concerns none
 * @param token of the delivery; empty where the event concerns none
 * @param about what the event says besides
 */
record Entry(Event event, String process, long since, long at, long task, String token, String about) {
    enum Event {
        /** A put was committed; about is the task's key, or empty. */
        COMMITTED,
        /** A put was rolled back; about is its label, since another put may get the same id. */
        ROLLED_BACK,
        /** A take has answered; about is the session it was made in. */
        TAKEN,
        /** The handler begins; about is the label of the put. */
        STARTED,
        /** The handler has ended, in whichever way. */
        ENDED,
        /** A settle is about to be sent; about is its verb. */
        SETTLING,
        /** A settle was answered; about is its status. */
        SETTLED,
        /** The storage has answered that the session, which is in about, lives. */
        ALIVE,
        /** The session, which is in about, is about to be closed. */
        CLOSING,
        /** The process in about is dead. */
        KILLED,
        /** The process in about stands still. */
        STOPPED,
        /** The process in about goes on. */
        CONTINUED
    }

    String line() {
        return String.join(
                "\t",
                List.of(
                        event.name(),
                        process,
                        Long.toString(since),
                        Long.toString(at),
                        Long.toString(task),
                        token,
                        about));
    }

    static Entry parse(String line) {
        String[] parts = line.split("\t", -1);
        return new Entry(
                Event.valueOf(parts[0]),
                parts[1],
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                parts[5],
                parts[6]);
    }
}
