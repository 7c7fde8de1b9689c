package dev.leat.storage;

/** What a {@link Signal} carries. A notice is a hint: its listener asks the storage. */
public sealed interface Notice {

    /** The queue may have a task to take, or capacity for a put. */
    record Ready(String queue) implements Notice {}

    /** The queue was paused: workers give back the tasks that they have not started. */
    record Paused(String queue) implements Notice {}

    /** A timed change is due earlier than the last sweep answered, or a sweep has changes to report. */
    record TimerMoved() implements Notice {
        public static final TimerMoved INSTANCE = new TimerMoved();
    }

    /** The next heartbeat of the session will answer something new. */
    record SessionNews(String session) implements Notice {}

    /**
     * A task has ended, was buried, or has another chunk of its result. Goes to callers that have asked for the task with
     * {@link Storage#statuses} lately.
     */
    record TaskNews(long taskId) implements Notice {}
}
