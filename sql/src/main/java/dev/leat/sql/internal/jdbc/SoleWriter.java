package dev.leat.sql.internal.jdbc;

import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handler's transaction that keeps everybody else from writing, where a database has one writer at a time. While it runs,
 * nobody can end a session, so heartbeats are noted here and written when it is over. Others wait for it here, not in the line
 * for the writing connection, where they would keep heartbeats from getting as far. Safe from any thread.
 */
public final class SoleWriter {
    private volatile @Nullable Thread thread;
    private final Map<String, Map<String, Integer>> heartbeats = new HashMap<>();

    /** This thread's transaction has begun. */
    synchronized void enter() {
        thread = Thread.currentThread();
    }

    /** It has ended; answers the heartbeats that came meanwhile: the sessions, and what waits on their behalf. */
    synchronized Map<String, Map<String, Integer>> leave() {
        thread = null;
        notifyAll();
        Map<String, Map<String, Integer>> noted = Map.copyOf(heartbeats);
        heartbeats.clear();
        return noted;
    }

    /** Notes a heartbeat; false when it can be written as well. */
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

    /** Returns when no handler writes. */
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

    /** A handler that waits for its own transaction would wait in vain. */
    void refuseThisThread() {
        if (isThisThread()) {
            throw new InvalidRequestException(
                    "call",
                    "cannot be made here: this database has one writer at a time, and that is the transaction of this handler."
                            + " Put tasks with leat.with(connection), and make other calls before the first statement.");
        }
    }
}
