package dev.leat.sql.internal;

import dev.leat.ClosedException;
import dev.leat.StorageException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one database, and the transactions on them.
 *
 * <p>One connection writes, guarded by a fair lock; a few others read. A transaction that another process kept from its
 * work is tried again with growing pauses for up to {@value #GIVE_UP_SECONDS} seconds. Safe from any thread.
 */
final class Db implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Db.class);
    private static final int READERS = 4;
    private static final int GIVE_UP_SECONDS = 30;
    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long LONGEST_PAUSE_MILLIS = 500;
    private static final long LOOK_PATIENCE_MILLIS = 100;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final Dialect dialect;
    private final Statements statements;
    private final ReentrantLock writing = new ReentrantLock(true);
    private final Semaphore readers = new Semaphore(READERS, true);
    private final Deque<Tx> idleReaders = new ArrayDeque<>();
    private @Nullable Tx writer;
    private volatile boolean closed;

    Db(Dialect dialect, Statements statements) {
        this.dialect = dialect;
        this.statements = statements;
    }

    /** Runs {@code work} in a transaction that nobody else's change can come between; commits unless it throws. */
    <T> T write(Function<Tx, T> work) {
        return retrying(() -> {
            writing.lock();
            try {
                checkOpen();
                return inTransaction(writer(), work);
            } finally {
                writing.unlock();
            }
        });
    }

    /** Runs {@code work}, which changes nothing, on one consistent view of the database. */
    <T> T read(Function<Tx, T> work) {
        return retrying(() -> {
            readers.acquireUninterruptibly();
            try {
                checkOpen();
                Tx tx = idleReader();
                try {
                    return inTransaction(tx, work);
                } finally {
                    giveBack(tx);
                }
            } finally {
                readers.release();
            }
        });
    }

    /** A number that another process's changes change; empty while this process itself writes for long. */
    OptionalLong foreignChanges() {
        if (!tryLockWriting()) {
            return OptionalLong.empty();
        }
        try {
            return closed ? OptionalLong.empty() : OptionalLong.of(dialect.changes(writer().connection()));
        } catch (SQLException e) {
            throw new Tx.Failure(dialect, "Looking for changes", e);
        } finally {
            writing.unlock();
        }
    }

    /** Waits in line for a moment: just trying would never succeed among busy writers. */
    private boolean tryLockWriting() {
        try {
            return writing.tryLock(LOOK_PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private interface Attempt<T> {
        T run();
    }

    private <T> T retrying(Attempt<T> attempt) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GIVE_UP_SECONDS);
        for (int failures = 1; ; failures++) {
            try {
                return attempt.run();
            } catch (Tx.Failure e) {
                if (e.trouble != Dialect.Trouble.TRY_AGAIN || System.nanoTime() > deadline) {
                    throw e;
                }
                log.debug("Trying again: {}", e.getMessage());
                pause(failures, e);
            }
        }
    }

    private static void pause(int failures, StorageException reason) {
        long longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
        try {
            Thread.sleep(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw reason;
        }
    }

    private <T> T inTransaction(Tx tx, Function<Tx, T> work) {
        try {
            dialect.begin(tx.connection());
        } catch (SQLException e) {
            throw broken(tx, new Tx.Failure(dialect, "Beginning a transaction", e));
        }
        T result;
        try {
            result = work.apply(tx);
        } catch (RuntimeException | Error e) {
            rollback(tx, e);
            throw e;
        }
        try {
            dialect.commit(tx.connection());
        } catch (SQLException e) {
            Tx.Failure failure = new Tx.Failure(dialect, "Committing", e);
            rollback(tx, failure);
            throw failure;
        }
        return result;
    }

    private void rollback(Tx tx, Throwable reason) {
        try {
            dialect.rollback(tx.connection());
        } catch (SQLException e) {
            reason.addSuppressed(e);
            discard(tx);
        }
    }

    private Tx.Failure broken(Tx tx, Tx.Failure failure) {
        discard(tx);
        return failure;
    }

    /** A connection in an unknown state is not used again. */
    private void discard(Tx tx) {
        if (tx == writer) {
            writer = null;
        }
        tx.giveUp();
        close(tx);
    }

    private Tx writer() {
        if (writer == null) {
            writer = connect(Dialect.Access.WRITE);
        }
        return writer;
    }

    private Tx connect(Dialect.Access access) {
        try {
            return new Tx(dialect.connect(access), dialect, statements);
        } catch (SQLException e) {
            throw new Tx.Failure(dialect, "Opening " + dialect.name(), e);
        }
    }

    private Tx idleReader() {
        synchronized (idleReaders) {
            Tx idle = idleReaders.poll();
            if (idle != null) {
                return idle;
            }
        }
        return connect(Dialect.Access.READ);
    }

    private void giveBack(Tx tx) {
        if (tx.isUsable()) {
            synchronized (idleReaders) {
                idleReaders.push(tx);
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("This " + dialect.name() + " storage");
        }
    }

    /** Waits for transactions that run now, for some seconds; later ones are refused. */
    @Override
    public void close() {
        closed = true;
        boolean quiet = awaitQuiet();
        if (!quiet) {
            log.warn("Closing {} while transactions still run", dialect.name());
        }
        synchronized (idleReaders) {
            idleReaders.forEach(Db::close);
            idleReaders.clear();
        }
        if (writer != null) {
            close(writer);
            writer = null;
        }
        if (quiet) {
            readers.release(READERS);
            writing.unlock();
        }
    }

    private boolean awaitQuiet() {
        try {
            if (!readers.tryAcquire(READERS, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
            if (!writing.tryLock(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                readers.release(READERS);
                return false;
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void close(Tx tx) {
        try {
            tx.close();
        } catch (SQLException e) {
            log.debug("Closing a connection failed: {}", e.getMessage());
        }
    }
}
