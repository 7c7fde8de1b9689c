package dev.leat.storage;

import java.util.function.Function;

/** What a {@link Signal} tells. A notice is a hint: the storage knows the truth. */
public sealed interface Notice {

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Ready, T> ready,
            Function<? super Paused, T> paused,
            Function<? super TimerMoved, T> timerMoved,
            Function<? super SessionNews, T> sessionNews,
            Function<? super TaskNews, T> taskNews);

    /** The queue may have a task to take, or space for one. */
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

    /** The queue was paused: tasks that were taken and not started should go back. */
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

    /** Something in the storage happens earlier than the last sweep said, or there is something to tell. */
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

    /** A session has news: ask with a heartbeat. */
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
     * A task has ended, was put aside, or has told of a part of its result: ask how it stands. Told to those who have asked for it with
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
