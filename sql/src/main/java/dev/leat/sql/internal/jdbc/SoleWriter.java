package dev.leat.sql.internal.jdbc;

import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The transaction of a handler that is the only writer, on a database with one writer at a time.
 *
 * <p>While it runs, no process can end a session. So this class collects the heartbeats, and they are written after the
 * transaction. Other writers wait here and not for the writing connection, where they would block heartbeats. Safe from any
 * thread.
 */
public final class SoleWriter {
    private volatile @Nullable Thread thread;
    private final Map<String, Map<String, Integer>> heartbeats = new HashMap<>();

    /** The transaction of this thread has begun. */
    synchronized void enter() {
        thread = Thread.currentThread();
    }

    /** The transaction has ended. Returns the collected heartbeats: for each session, its waiting takes by queue. */
    synchronized Map<String, Map<String, Integer>> leave() {
        thread = null;
        notifyAll();
        Map<String, Map<String, Integer>> noted = Map.copyOf(heartbeats);
        heartbeats.clear();
        return noted;
    }

    /** Collects a heartbeat, or returns false if no handler writes and the heartbeat can be written now. */
    public synchronized boolean note(String session, Map<String, Integer> waiting) {
        if (thread == null) {
            return false;
        }
        heartbeats.put(session, waiting);
        return true;
    }

    boolean isAnybody() {
        return thread != null;
    }

    public boolean isThisThread() {
        return thread == Thread.currentThread();
    }

    /** Waits until no handler writes. */
    synchronized void awaitNobody(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (thread != null) {
            long millis = Duration.ofNanos(end - System.nanoTime()).toMillis();
            if (millis <= 0) {
                throw new StorageException("The transaction of a handler has kept everybody else from writing for "
                        + patience.toSeconds() + " s. Keep such handlers short.");
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StorageException("Interrupted while the transaction of a handler was the only writer", e);
            }
        }
    }

    /** Refuses a call from the handler itself, which would wait for its own transaction. */
    void refuseThisThread() {
        if (isThisThread()) {
            throw new InvalidRequestException(
                    "call",
                    "cannot be made here: this database has one writer at a time, and that is the transaction of this handler."
                            + " Put tasks with leat.with(connection), and make other calls before the first statement.");
        }
    }
}
