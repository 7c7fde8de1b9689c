package dev.leat.storage;

/** What a {@link Signal} tells. A notice is a hint: the storage knows the truth. */
public sealed interface Notice {

    /** The queue may have a task to take, or space for one. */
    record Ready(String queue) implements Notice {}

    /** The queue was paused: tasks that were taken and not started should go back. */
    record Paused(String queue) implements Notice {}

    /** Something in the storage happens earlier than the last sweep said, or there is something to tell. */
    record TimerMoved() implements Notice {
        public static final TimerMoved INSTANCE = new TimerMoved();
    }

    /** A session has news: ask with a heartbeat. */
    record SessionNews(String session) implements Notice {}

    /**
     * A task has ended, was put aside, or has told of a part of its result: ask how it stands. Told to those who have asked for it with
     * {@link Storage#statuses} lately.
     */
    record TaskNews(long taskId) implements Notice {}
}
