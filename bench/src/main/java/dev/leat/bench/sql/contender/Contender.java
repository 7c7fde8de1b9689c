package dev.leat.bench.sql.contender;

import java.util.List;

/** A task queue that is measured, in its own best settings. One at a time is open in a process. */
interface Contender {
    /** Connects to an empty database, and makes there what it needs. */
    void open(String url) throws Exception;

    /** Puts one task as an application would. Called by many threads. */
    void put(String payload) throws Exception;

    /** Puts tasks in one batch. */
    void putAll(List<String> payloads) throws Exception;

    /**
     * Starts to work off tasks; each goes to {@code handled}.
     *
     * @param mode what matters to the run, for those who have to choose
     */
    void work(Handled handled, Mode mode) throws Exception;

    /** What a run is about. */
    enum Mode {
        RATE,
        LATENCY,
        /** The first try of each task fails; only Leat is asked. */
        RETRY
    }

    /** Whether the first {@code tasks} since {@link #work} are worked off in the database too. */
    boolean isSettled(long tasks) throws Exception;

    /** Stops working; puts go on. */
    void stop() throws Exception;

    void close() throws Exception;
}
