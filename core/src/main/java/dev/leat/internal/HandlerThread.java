package dev.leat.internal;

import org.jspecify.annotations.Nullable;

/**
 * Knows whether a handler runs on the current thread. Whoever makes a thread wait for other tasks does it in {@link #lendPlaceDuring}: if it
 * is a handler's, its place among the worker's processors is lent meanwhile. Otherwise a handler that waits for a task of its own worker,
 * and has not thought of {@code RunningTask.awaiting}, would wait for ever as soon as all places are held by the like.
 */
public final class HandlerThread {
    private static final ThreadLocal<Place> CURRENT = new ThreadLocal<>();

    private HandlerThread() {}

    /** What a running handler takes up. */
    public interface Place {
        /** False when it is lent already. */
        boolean lend();

        void takeBack();
    }

    /** Something that takes its time and may throw. */
    public interface Wait<T, E extends Exception> {
        T call() throws E;
    }

    /** Lets {@code handler}, which takes up {@code place}, run on this thread. */
    public static <T, E extends Exception> T run(Place place, Wait<T, E> handler) throws E {
        @Nullable Place outer = CURRENT.get();
        CURRENT.set(place);
        try {
            return handler.call();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** Waits on this thread. Only for what has not come yet: to lend a place and to take it back wakes other threads. */
    public static <T extends @Nullable Object, E extends Exception> T lendPlaceDuring(Wait<T, E> wait) throws E {
        @Nullable Place place = CURRENT.get();
        if (place == null || !place.lend()) {
            return wait.call();
        }
        try {
            return wait.call();
        } finally {
            place.takeBack();
        }
    }
}
