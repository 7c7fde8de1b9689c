package dev.leat.storage;

import java.util.function.Function;

/** What a {@link Signal} carries. A notice is a hint: its listener asks the storage. */
public sealed interface Notice {

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Ready, T> ready,
            Function<? super Paused, T> paused,
            Function<? super TimerMoved, T> timerMoved,
            Function<? super SessionNews, T> sessionNews,
            Function<? super TaskNews, T> taskNews);

    /** The queue may have a task to take, or capacity for a put. */
    record Ready(String queue) implements Notice {
        @Override
        public <T> T match(
                Function<? super Ready, T> ready,
                Function<? super Paused, T> paused,
                Function<? super TimerMoved, T> timerMoved,
                Function<? super SessionNews, T> sessionNews,
                Function<? super TaskNews, T> taskNews) {
            return ready.apply(this);
        }
    }

    /** The queue was paused: workers give back the tasks that they have not started. */
    record Paused(String queue) implements Notice {
        @Override
        public <T> T match(
                Function<? super Ready, T> ready,
                Function<? super Paused, T> paused,
                Function<? super TimerMoved, T> timerMoved,
                Function<? super SessionNews, T> sessionNews,
                Function<? super TaskNews, T> taskNews) {
            return paused.apply(this);
        }
    }

    /** A timed change is due earlier than the last sweep answered, or a sweep has changes to report. */
    record TimerMoved() implements Notice {
        public static final TimerMoved INSTANCE = new TimerMoved();

        @Override
        public <T> T match(
                Function<? super Ready, T> ready,
                Function<? super Paused, T> paused,
                Function<? super TimerMoved, T> timerMoved,
                Function<? super SessionNews, T> sessionNews,
                Function<? super TaskNews, T> taskNews) {
            return timerMoved.apply(this);
        }
    }

    /** The next heartbeat of the session will answer something new. */
    record SessionNews(String session) implements Notice {
        @Override
        public <T> T match(
                Function<? super Ready, T> ready,
                Function<? super Paused, T> paused,
                Function<? super TimerMoved, T> timerMoved,
                Function<? super SessionNews, T> sessionNews,
                Function<? super TaskNews, T> taskNews) {
            return sessionNews.apply(this);
        }
    }

    /**
     * A task has ended, was buried, or has another chunk of its result. Goes to callers that have asked for the task with
     * {@link Storage#statuses} lately.
     */
    record TaskNews(long taskId) implements Notice {
        @Override
        public <T> T match(
                Function<? super Ready, T> ready,
                Function<? super Paused, T> paused,
                Function<? super TimerMoved, T> timerMoved,
                Function<? super SessionNews, T> sessionNews,
                Function<? super TaskNews, T> taskNews) {
            return taskNews.apply(this);
        }
    }
}
