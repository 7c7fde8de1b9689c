package dev.leat.sql.internal.peers;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts and ends the daemon threads of this package. */
final class PeerThread {
    private static final long STOP_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private PeerThread() {}

    static Thread start(String name, Runnable run) {
        Thread thread = new Thread(run, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Waits up to five seconds for a thread that was told to end. Returns false if the calling thread was interrupted. */
    static boolean join(@Nullable Thread thread) {
        if (thread == null || thread == Thread.currentThread()) {
            return true;
        }
        try {
            thread.join(STOP_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits like {@link #join}, then interrupts the thread if it still runs. After an interrupt it may finish its work. */
    static void end(@Nullable Thread thread) {
        boolean hasWaited = join(thread);
        if (hasWaited && thread != null && thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }
}
