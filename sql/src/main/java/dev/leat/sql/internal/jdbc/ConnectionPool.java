package dev.leat.sql.internal.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections of one kind: opened on demand, limited in number, lent first come, first served. Safe from any thread. */
final class ConnectionPool implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConnectionPool.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    /** Opens a connection. */
    interface Opener {
        Tx open() throws SQLException;
    }

    private final Opener opener;
    private final int size;
    private final boolean idles;
    private final Semaphore free;
    private final Deque<Tx> idle = new ArrayDeque<>();
    private boolean closed;

    /** @param idles whether unused connections stay open */
    ConnectionPool(int size, boolean idles, Opener opener) {
        this.size = size;
        this.idles = idles;
        this.opener = opener;
        this.free = new Semaphore(size, true);
    }

    /** Waits for a free connection. The borrower has to give it back. */
    Tx borrow() throws SQLException {
        free.acquireUninterruptibly();
        return idleOrNew();
    }

    /** The same, but an interrupt ends the wait. */
    Tx borrowInterruptibly() throws SQLException, InterruptedException {
        free.acquire();
        return idleOrNew();
    }

    /** The same, but null if no connection is free within the time. */
    @Nullable
    Tx borrow(Duration patience) throws SQLException {
        try {
            return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS) ? idleOrNew() : null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Tx idleOrNew() throws SQLException {
        boolean opened = false;
        try {
            Tx tx = pollIdle();
            while (tx != null && !tx.isAlive()) {
                close(tx);
                tx = pollIdle();
            }
            tx = tx != null ? tx : opener.open();
            opened = true;
            return tx;
        } finally {
            if (!opened) {
                free.release();
            }
        }
    }

    private @Nullable Tx pollIdle() {
        synchronized (idle) {
            return idle.poll();
        }
    }

    /** Takes a connection back, and closes it if it is broken. */
    void giveBack(Tx tx) {
        try {
            tx.rest();
            if (!tx.isUsable() || !idles || !keep(tx)) {
                close(tx);
            }
        } finally {
            free.release();
        }
    }

    private boolean keep(Tx tx) {
        synchronized (idle) {
            if (!closed) {
                idle.push(tx);
            }
            return !closed;
        }
    }

    /** Closes all idle connections after a lost connection, because the server has probably lost them too. */
    void forgetIdle() {
        List<Tx> forgotten;
        synchronized (idle) {
            forgotten = List.copyOf(idle);
            idle.clear();
        }
        forgotten.forEach(ConnectionPool::close);
    }

    /**
     * Waits some seconds for the borrowed connections, and returns whether all came back. An interrupted thread waits too: an
     * interrupted program closes its storage on its way out, and closed connections would break transactions that are about to
     * end.
     */
    boolean awaitQuiet() {
        long end = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    boolean quiet = free.tryAcquire(size, end - System.nanoTime(), TimeUnit.NANOSECONDS);
                    if (quiet) {
                        free.release(size);
                    }
                    return quiet;
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
        }
        forgetIdle();
    }

    private static void close(Tx tx) {
        try {
            tx.close();
        } catch (SQLException e) {
            log.debug("Closing a connection failed: {}", e.getMessage());
        }
    }
}
