package dev.leat;

import java.time.Duration;

/**
 * This process's part in a fleet of which one leads, and does what one is enough for.
 *
 * <pre>{@code
 * leat.leader("reports")
 *         .whileLeading(term -> watchFolder(term::isOver))
 *         .every(Duration.ofMinutes(5), term -> removeOldFiles())
 *         .start();
 * }</pre>
 *
 * <p>Every process of the fleet says so; one of them leads at a time. When it dies or is cut off, another one takes over after the lease, which is
 * 6 seconds unless it is set. <b>It saves work, it guarantees nothing</b>: a leader that stood still may go on for a moment before it learns that
 * another one leads, so what must not happen twice needs a guard of its own, such as a task with an address, or a row that only one can change.
 * Schedules need no leader.
 *
 * <p>Safe from any thread. The work runs on threads of its own.
 */
public interface Leadership extends AutoCloseable {
    String name();

    /** Whether this process leads, as far as it can know. */
    boolean isLeading();

    /** Ends the term; others come first for the time of a lease. Does nothing in a process that does not lead. */
    void stepDown();

    /** Ends the term, and takes no part any more; waits a few seconds for the work to end. */
    @Override
    void close();

    /** The time during which this process leads, without a break. */
    interface Term {
        /** Whether it is over: then the work should end soon. Its thread is interrupted, too. Costs nothing to ask. */
        boolean isOver();
    }

    /** What only the leader does. */
    interface Work {
        void run(Term term) throws Exception;
    }

    /** Says what a leader does. */
    interface Builder {
        /**
         * Runs this once in each term, on a thread of its own, until it returns or the term is over. If it throws, this process steps down: it
         * may work elsewhere.
         */
        Builder whileLeading(Work work);

        /** Runs this when a term begins, and again after each {@code pause}. If it throws, that is logged, and it goes on. */
        Builder every(Duration pause, Work work);

        /**
         * How long a leader that nobody hears of still counts as one, and others wait before they take over; default 6 seconds, at least one. All
         * processes should have the same.
         */
        Builder lease(Duration lease);

        /** Takes part from now on, until the Leat is closed. */
        Leadership start();
    }
}
