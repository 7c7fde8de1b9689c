package dev.leat;

import java.time.Duration;

/**
 * Takes part in the choice of one leader among the processes of a fleet; the leader does work that one process is enough for.
 *
 * <pre>{@code
 * leat.leader("reports")
 *         .whileLeading(term -> watchFolder(term::isOver))
 *         .every(Duration.ofMinutes(5), term -> removeOldFiles())
 *         .start();
 * }</pre>
 *
 * <p>Every process of the fleet runs this code, and one of them leads at a time. When the leader dies or loses its connection, another process
 * takes over after the lease, by default 6 seconds. <b>A leader saves work and guarantees nothing</b>: a leader that was frozen can go on for a
 * moment while another process leads. Work that must not happen twice needs its own guard, such as a task with an address, or a row that only one
 * transaction can change. Schedules need no leader.
 *
 * <p>Safe from any thread. The work runs on threads of its own.
 */
public interface Leadership extends AutoCloseable {
    String name();

    /** Whether this process leads, as far as it knows. */
    boolean isLeading();

    /** Ends the term; this process does not lead again for the time of one lease. Does nothing in a process that does not lead. */
    void stepDown();

    /** Ends the term and leaves the fleet; waits a few seconds for the work to end. */
    @Override
    void close();

    /** The time from becoming the leader until the end of the lead. */
    interface Term {
        /** Whether the term is over, so that the work should end soon. Its thread is interrupted too. The call is cheap. */
        boolean isOver();
    }

    /** Work that only the leader does. */
    interface Work {
        void run(Term term) throws Exception;
    }

    /** Collects the work of a leader. */
    interface Builder {
        /**
         * Runs the work once in each term, on a thread of its own, until it returns or the term is over. If it throws, this process steps
         * down, because the work may succeed in another process.
         */
        Builder whileLeading(Work work);

        /** Runs the work when a term begins, and again after each {@code pause}. An exception is logged, and the work goes on. */
        Builder every(Duration pause, Work work);

        /**
         * How long a silent leader keeps the lead before another process takes over; default 6 seconds, at least 1 second. Use the same time in
         * all processes.
         */
        Builder lease(Duration lease);

        /** Takes part until the Leat is closed. */
        Leadership start();
    }
}
