package dev.leat.sql.internal.jdbc;

import dev.leat.error.StorageException;
import dev.leat.error.StorageNotFoundException;
import dev.leat.storage.StorageSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the tables of a database or brings them to the version of this code.
 *
 * <p>Each migration file is applied once, under a lock, so any number of processes can start at once: one process migrates
 * and the others wait for it. Where DDL is transactional, all missing migrations are one transaction. On MariaDB and MySQL,
 * each statement commits by itself and can be repeated.
 *
 * <p>This code uses newer tables if the version that made them declared them compatible.
 */
public final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    /** Code that knows this migration works with the tables of this version. Older code refuses them. */
    private static final int COMPATIBLE_WITH = 1;

    /** The limit of the wait for another process that migrates, and of one statement of a migration. */
    public static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final long LOCK_POLL_MILLIS = 100;
    private static final String TABLE = "migration/migration-table.sql";

    /** What to do about missing migrations. */
    public enum Mode {
        APPLY,
        /** Apply them to existing tables, and refuse a database without tables. */
        UPGRADE,
        /** Apply none, and refuse missing or older tables. */
        CHECK;

        /** This mode, or UPGRADE if the settings refuse to create a storage. */
        public Mode with(StorageSettings settings) {
            boolean isRefused = settings.ifMissing() == StorageSettings.IfMissing.REFUSE;
            return isRefused && this == APPLY ? UPGRADE : this;
        }
    }

    private record Applied(int number, int compatible) {}

    private final Db db;
    private final Dialect dialect;
    private final Statements statements;
    private final Tables tables;
    private final Duration patience;

    public Migrations(Db db, Dialect dialect, Statements statements, Tables tables, Duration patience) {
        this.db = db;
        this.dialect = dialect;
        this.statements = statements;
        this.tables = tables;
        this.patience = patience;
    }

    /** The script for an empty database. Each statement ends with a semicolon before an empty line. */
    public static String script(Dialect dialect, Statements statements, Tables tables) {
        List<String> parts = new ArrayList<>();
        if (tables.schema().isPresent()) {
            parts.add(statements.get("create-schema") + ";");
        }
        parts.add(statements.script(TABLE));
        int number = 0;
        for (String file : dialect.migrations()) {
            number++;
            parts.add("-- Migration " + number + ": " + file);
            parts.add(statements.script("migration/" + file));
            parts.add(statements
                            .get("insert-migration")
                            .replaceFirst("\\?", Integer.toString(number))
                            .replaceFirst("\\?", Integer.toString(COMPATIBLE_WITH))
                    + ";");
        }
        return parts.stream().map(String::strip).collect(Collectors.joining("\n\n", "", "\n"));
    }

    public void run(Mode mode) {
        List<Applied> applied = db.read(this::applied);
        if (mode == Mode.UPGRADE && applied.isEmpty()) {
            throw new StorageNotFoundException(
                    "The database has no tables of Leat's (" + tables.qualifiedPrefix() + "*).");
        }
        if (mode != Mode.CHECK && last(applied) < known()) {
            applyWhenFree();
            return;
        }
        if (last(applied) < known()) {
            throw new StorageException("The database lacks Leat's tables, or has those of an older version ("
                    + last(applied) + ", needed is " + known()
                    + "). Let Leat migrate it (without migrate=false), or run what `leat schema print` prints.");
        }
        check(applied);
    }

    /** Polls for the lock. A long wait inside the database would look like a dead server. */
    private void applyWhenFree() {
        long start = System.nanoTime();
        boolean isLogged = false;
        while (!db.write(Db.Repeat.HARMLESS, this::applyIfFree)) {
            if (System.nanoTime() - start >= patience.toNanos()) {
                throw new StorageException("Another process has been migrating the tables " + tables.qualifiedPrefix()
                        + "* for " + patience.toSeconds()
                        + " seconds and is still not done. See whether it makes progress or has to be ended,"
                        + " and start again.");
            }
            if (!isLogged) {
                log.info(
                        "Waiting for another process that migrates the tables {}*, for up to {} seconds",
                        tables.qualifiedPrefix(),
                        patience.toSeconds());
                isLogged = true;
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(LOCK_POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("Interrupted while another process migrates the tables", e);
        }
    }

    /** Returns false if another process migrates now. */
    private boolean applyIfFree(Tx tx) {
        // MariaDB answers NULL on errors, which counts as not locked.
        if (tx.number("lock-migrations") != 1) {
            return false;
        }
        try {
            // A statement on a large or busy table can take minutes.
            limitSilence(tx, patience);
            applyLocked(tx);
        } catch (RuntimeException | Error e) {
            try {
                finish(tx);
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        finish(tx);
        return true;
    }

    private void finish(Tx tx) {
        limitSilence(tx, ConnectionSource.SILENCE);
        tx.first("unlock-migrations", row -> 1);
    }

    private void limitSilence(Tx tx, Duration longest) {
        try {
            dialect.source().limitSilence(tx.connection(), longest);
        } catch (SQLException e) {
            throw new Tx.Failure(dialect, "Changing the time limit of a connection", e);
        }
    }

    private void applyLocked(Tx tx) {
        // Another process can have migrated before this one got the lock.
        List<Applied> applied = applied(tx);
        check(applied);
        if (applied.isEmpty()) {
            if (tables.schema().isPresent()) {
                tx.update("create-schema");
            }
            tx.script("migration table", statements.script(TABLE));
        }
        for (int number = last(applied) + 1; number <= known(); number++) {
            String file = dialect.migrations().get(number - 1);
            tx.script(file, statements.script("migration/" + file));
            tx.update("insert-migration", number, COMPATIBLE_WITH);
            log.info("Applied migration {} to the database", file);
        }
    }

    private void check(List<Applied> applied) {
        if (last(applied) <= known()) {
            return;
        }
        int compatible = applied.get(applied.size() - 1).compatible;
        if (compatible > known()) {
            throw new StorageException("The database was made by a newer version of Leat (its tables are at "
                    + last(applied) + " and need at least " + compatible + ", this version knows " + known()
                    + "). Use that version.");
        }
        log.warn(
                "The database was made by a newer version of Leat: its tables are at {}, this version knows {}. They fit.",
                last(applied),
                known());
    }

    private List<Applied> applied(Tx tx) {
        if (tx.first("has-migrations", row -> 1).isEmpty()) {
            return List.of();
        }
        return new ArrayList<>(tx.list("migrations", row -> new Applied(row.getInt(1), row.getInt(2))));
    }

    private static int last(List<Applied> applied) {
        return applied.isEmpty() ? 0 : applied.get(applied.size() - 1).number;
    }

    private int known() {
        return dialect.migrations().size();
    }
}
