package dev.leat.sql.internal.jdbc;

import dev.leat.error.ClosedException;
import dev.leat.error.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions on one database.
 *
 * <p>Repeats a transaction after a conflict or a connection lost before the commit, with growing pauses, for up to
 * {@value #GIVE_UP_SECONDS} seconds. A connection lost during the commit leaves the result unknown: then only harmless work is
 * repeated. Safe from any thread.
 */
public final class Db implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Db.class);
    private static final int GIVE_UP_SECONDS = 30;
    /** After this time without a server, the call fails and the caller decides what to do. */
    private static final int GIVE_UP_LOST_SECONDS = 5;

    private static final long FIRST_PAUSE_MILLIS = 5;
    private static final long LONGEST_PAUSE_MILLIS = 500;
    private static final Duration CHANGES_PATIENCE = Duration.ofMillis(100);

    /** Whether work can be repeated after a commit with an unknown result. */
    public enum Repeat {
        HARMLESS,
        NEVER
    }

    private final Dialect dialect;
    private final Statements statements;
    private final ConnectionPool writers;
    private final ConnectionPool readers;
    private final ConnectionPool handlers;
    private final SoleWriter soleWriter = new SoleWriter();
    private volatile boolean closed;

    public Db(Dialect dialect, Statements statements) {
        this.dialect = dialect;
        this.statements = statements;
        this.writers = pool(Dialect.Access.WRITE);
        this.readers = pool(Dialect.Access.READ);
        this.handlers = pool(Dialect.Access.HANDLER);
    }

    private ConnectionPool pool(Dialect.Access access) {
        ConnectionSource source = dialect.source();
        int most = source.most(access, dialect.connections(access));
        return new ConnectionPool(
                most, source.keeps(access), () -> new Tx(dialect.connect(access), dialect, statements));
    }

    public Dialect dialect() {
        return dialect;
    }

    /** Runs statements in the transaction of a caller. */
    public <T> T joining(Connection connection, Function<Tx, T> work) {
        Tx tx = new Tx(connection, dialect, statements);
        try {
            checkOpen();
            dialect.join(connection);
            return work.apply(tx);
        } catch (SQLException e) {
            throw new Tx.Failure(dialect, "Joining a transaction", e);
        } finally {
            tx.leave();
        }
    }

    /** Runs {@code work} in a transaction, and commits unless it throws. */
    public <T> T write(Repeat repeat, Function<Tx, T> work) {
        soleWriter.refuseThisThread();
        Optional<T> done = tryWrite(repeat, work);
        while (done.isEmpty()) {
            soleWriter.awaitNobody(Duration.ofSeconds(GIVE_UP_SECONDS));
            done = tryWrite(repeat, work);
        }
        return done.get();
    }

    /** The same, but returns empty while the transaction of a handler is the only writer. */
    public <T> Optional<T> tryWrite(Repeat repeat, Function<Tx, T> work) {
        return retrying(
                repeat,
                () -> on(
                        writers,
                        tx -> soleWriter.isAnybody()
                                ? Optional.empty()
                                : Optional.of(inTransaction(tx, Dialect.Access.WRITE, work))));
    }

    /** Runs {@code work}, which only reads, on one snapshot of the database. */
    public <T> T read(Function<Tx, T> work) {
        return retrying(Repeat.HARMLESS, () -> on(readers, tx -> inTransaction(tx, Dialect.Access.READ, work)));
    }

    /** Runs {@code work}, which is a single statement, in auto-commit mode. */
    public <T> T atOnce(Repeat repeat, Function<Tx, T> work) {
        return retrying(repeat, () -> on(writers, tx -> alone(tx, Dialect.Access.WRITE, work)));
    }

    /** Runs {@code work}, which only reads, in auto-commit mode. Each statement can see another state of the database. */
    public <T> T look(Function<Tx, T> work) {
        return retrying(Repeat.HARMLESS, () -> on(readers, tx -> alone(tx, Dialect.Access.READ, work)));
    }

    // Transactions of handlers

    /** Begins the transaction of a handler. The caller gives the connection back after the transaction. */
    public Tx beginHandler() {
        checkOpen();
        return retrying(Repeat.HARMLESS, () -> {
            Tx tx = borrowHandler();
            try {
                if (dialect.hasOtherWriters()) {
                    begin(tx, Dialect.Access.HANDLER);
                } else {
                    beginAsSoleWriter(tx);
                }
                return tx;
            } catch (RuntimeException | Error e) {
                handlers.giveBack(tx);
                throw e;
            }
        });
    }

    private Tx borrowHandler() {
        try {
            return handlers.borrowInterruptibly();
        } catch (SQLException e) {
            throw opening(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("The handler was interrupted before its transaction began", e);
        }
    }

    /** On a database with one writer, a handler waits for the writing connection like all writes of this process. */
    private void beginAsSoleWriter(Tx tx) {
        on(writers, unit -> {
            begin(tx, Dialect.Access.HANDLER);
            soleWriter.enter();
            return tx;
        });
    }

    /** Ends the time of the handler as the only writer, and returns the heartbeats that could not be written meanwhile. */
    public Map<String, Map<String, Integer>> leaveHandler() {
        return dialect.hasOtherWriters() ? Map.of() : soleWriter.leave();
    }

    public void giveBackHandler(Tx tx) {
        handlers.giveBack(tx);
    }

    /** The handler that writes, on a database with one writer at a time. */
    public SoleWriter soleWriter() {
        return soleWriter;
    }

    /** A number that changes with the changes of other processes; empty during a long write of this process. */
    public OptionalLong foreignChanges() {
        if (closed) {
            return OptionalLong.empty();
        }
        try {
            Tx tx = writers.borrow(CHANGES_PATIENCE);
            if (tx == null) {
                return OptionalLong.empty();
            }
            try {
                return OptionalLong.of(tx.number("changes"));
            } finally {
                writers.giveBack(tx);
            }
        } catch (SQLException e) {
            throw new Tx.Failure(dialect, "Checking for changes", e);
        }
    }

    private <T> T on(ConnectionPool pool, Function<Tx, T> work) {
        checkOpen();
        Tx tx;
        try {
            tx = pool.borrow();
        } catch (SQLException e) {
            throw opening(e);
        }
        try {
            checkOpen();
            return work.apply(tx);
        } finally {
            pool.giveBack(tx);
        }
    }

    private Tx.Failure opening(SQLException reason) {
        return new Tx.Failure(dialect, "Opening " + dialect.name(), reason);
    }

    private <T> T retrying(Repeat repeat, Supplier<T> attempt) {
        long start = System.nanoTime();
        for (int failures = 1; ; failures++) {
            try {
                return attempt.get();
            } catch (Tx.Failure e) {
                if (!mayRetry(e, repeat, System.nanoTime() - start)) {
                    throw e;
                }
                log.debug("Trying again: {}", e.getMessage());
                pause(failures, e);
            }
        }
    }

    private boolean mayRetry(Tx.Failure failure, Repeat repeat, long nanos) {
        if (closed || (failure.isInDoubt() && repeat == Repeat.NEVER)) {
            return false;
        }
        return switch (failure.trouble) {
            case TRY_AGAIN, TAKEN, WAITED_TOO_LONG -> nanos < TimeUnit.SECONDS.toNanos(GIVE_UP_SECONDS);
            case LOST -> nanos < TimeUnit.SECONDS.toNanos(GIVE_UP_LOST_SECONDS);
            case FATAL -> false;
        };
    }

    private static void pause(int failures, Tx.Failure reason) {
        long longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
        try {
            Thread.sleep(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw reason;
        }
    }

    /** Behind a pooler, even a single statement needs a transaction, which sets the settings of Leat. */
    private <T> T alone(Tx tx, Dialect.Access access, Function<Tx, T> work) {
        if (!dialect.keepsSessions()) {
            return inTransaction(tx, access, work);
        }
        try {
            dialect.beforeStatement(tx.connection());
            return work.apply(tx);
        } catch (SQLException e) {
            throw new Tx.Failure(dialect, "A statement", e);
        } catch (Tx.Failure e) {
            throw e.trouble == Dialect.Trouble.LOST ? lost(tx, e.inDoubt()) : e;
        }
    }

    private <T> T inTransaction(Tx tx, Dialect.Access access, Function<Tx, T> work) {
        begin(tx, access);
        T result;
        try {
            result = work.apply(tx);
        } catch (RuntimeException | Error e) {
            rollback(tx, e);
            throw e;
        }
        commit(tx);
        return result;
    }

    private void begin(Tx tx, Dialect.Access access) {
        try {
            dialect.begin(tx.connection(), access);
        } catch (SQLException e) {
            throw lost(tx, new Tx.Failure(dialect, "Beginning a transaction", e));
        }
    }

    /** Commits, or rolls back and throws. The failure can leave the result unknown. */
    public void commit(Tx tx) {
        try {
            dialect.commit(tx.connection());
        } catch (SQLException e) {
            Tx.Failure failure = new Tx.Failure(dialect, "Committing", e);
            rollback(tx, failure);
            throw failure.trouble == Dialect.Trouble.LOST ? failure.inDoubt() : failure;
        }
    }

    /** Rolls back the transaction of a handler, and returns false if its connection was lost before. */
    public boolean rollback(Tx tx) {
        try {
            dialect.rollback(tx.connection());
            return true;
        } catch (SQLException e) {
            tx.giveUp();
            return dialect.trouble(e) != Dialect.Trouble.LOST;
        }
    }

    private void rollback(Tx tx, Throwable reason) {
        try {
            dialect.rollback(tx.connection());
        } catch (SQLException e) {
            reason.addSuppressed(e);
            tx.giveUp();
        }
        if (reason instanceof Tx.Failure failure && failure.trouble == Dialect.Trouble.LOST) {
            lost(tx, failure);
        }
    }

    /** Closes the broken connection and all idle connections. */
    private Tx.Failure lost(Tx tx, Tx.Failure failure) {
        tx.giveUp();
        writers.forgetIdle();
        readers.forgetIdle();
        handlers.forgetIdle();
        return failure;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("This " + dialect.name() + " storage");
        }
    }

    /** Refuses new transactions, and waits some seconds for the running ones. */
    @Override
    public void close() {
        closed = true;
        boolean quiet = handlers.awaitQuiet() && readers.awaitQuiet() && writers.awaitQuiet();
        if (!quiet) {
            log.warn("Closing {} while transactions still run", dialect.name());
        }
        handlers.close();
        readers.close();
        writers.close();
    }
}
