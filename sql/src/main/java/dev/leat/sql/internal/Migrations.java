package dev.leat.sql.internal;

import dev.leat.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the tables of a database to what this version knows.
 *
 * <p>Each migration file is applied once, all in one transaction that excludes every other writer, so any number of
 * processes may start at once. A newer version's tables are used as they are when that version said they may be.
 */
final class Migrations {
    private static final Logger log = LoggerFactory.getLogger(Migrations.class);
    /** The oldest version of the code, by its last migration, that can work with the tables this version makes. */
    private static final int COMPATIBLE_WITH = 1;

    private static final String TABLE = "migration/migration-table.sql";

    /** What to do about missing migrations. */
    enum Mode {
        APPLY,
        /** Nothing: the tables must be there. */
        CHECK
    }

    private record Applied(int number, int compatible) {}

    private final Db db;
    private final Dialect dialect;
    private final Statements statements;
    private final Tables tables;

    Migrations(Db db, Dialect dialect, Statements statements, Tables tables) {
        this.tables = tables;
        this.db = db;
        this.dialect = dialect;
        this.statements = statements;
    }

    /** All that a database without any of it gets, as one text: statements end with a semicolon before an empty line. */
    static String script(Dialect dialect, Statements statements, Tables tables) {
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

    void run(Mode mode) {
        List<Applied> applied = db.read(this::applied);
        if (mode == Mode.APPLY && last(applied) < known()) {
            db.write(Db.Repeat.HARMLESS, this::apply);
            return;
        }
        if (last(applied) < known()) {
            throw new StorageException("The database lacks Leat's tables, or has those of an older version ("
                    + last(applied) + ", needed is " + known()
                    + "). Let Leat migrate it (without migrate=false), or run what `leat schema print` prints.");
        }
        check(applied);
    }

    private int apply(Tx tx) {
        // Another process may have been faster: what counts is what is there under the lock.
        tx.first("lock-migrations", row -> 1);
        try {
            int last = applyLocked(tx);
            unlock(tx);
            return last;
        } catch (RuntimeException e) {
            try {
                unlock(tx);
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    private static void unlock(Tx tx) {
        tx.first("unlock-migrations", row -> 1);
    }

    private int applyLocked(Tx tx) {
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
        return known();
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
