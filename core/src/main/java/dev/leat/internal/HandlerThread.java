package dev.leat.internal;

import org.jspecify.annotations.Nullable;

/**
 * Knows whether a handler runs on the current thread, so that a wait can lend the handler's slot to another task.
 *
 * <p>Every blocking wait for other tasks goes through {@link #lendSlotDuring}. Otherwise handlers that wait for tasks of their own worker
 * could hold all slots, and wait for each other for ever.
 */
public final class HandlerThread {
    private static final ThreadLocal<Slot> CURRENT = new ThreadLocal<>();

    private HandlerThread() {}

    /** The slot that a running handler occupies. */
    public interface Slot {
        /** Lends the slot; false when the handler keeps it, because it is lent already or too many slots are lent. */
        boolean lend();

        void takeBack();
    }

    /** A call that blocks and may throw. */
    public interface Wait<T, E extends Exception> {
        T call() throws E;
    }

    /** Runs {@code handler}, which occupies {@code slot}, on this thread. */
    public static <T, E extends Exception> T run(Slot slot, Wait<T, E> handler) throws E {
        @Nullable Slot outer = CURRENT.get();
        CURRENT.set(slot);
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

    /** Waits on this thread. Call it only if the wait will block: lending a slot and taking it back wakes other threads. */
    public static <T extends @Nullable Object, E extends Exception> T lendSlotDuring(Wait<T, E> wait) throws E {
        @Nullable Slot slot = CURRENT.get();
        if (slot == null || !slot.lend()) {
            return wait.call();
        }
        try {
            return wait.call();
        } finally {
            slot.takeBack();
        }
    }
}
