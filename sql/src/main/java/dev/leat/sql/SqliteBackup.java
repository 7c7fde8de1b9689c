package dev.leat.sql;

import dev.leat.sql.internal.engine.sqlite.SqliteCopies;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Backups of a SQLite storage. {@link #backUp} writes a copy while workers and producers go on; {@link #restore} replaces the storage with a copy. A
 * copy of the file alone is not enough, because SQLite keeps the last commits in another file. Immutable.
 */
public final class SqliteBackup {
    /**
     * The content of a copy.
     *
     * @param bytes the size of the file
     * @param liveTasks how many tasks are live
     */
    public record Copied(long bytes, long liveTasks) {}

    private final SqliteCopies copies;

    private SqliteBackup(SqliteCopies copies) {
        this.copies = copies;
    }

    /**
     * Backups of the storage at this URL, {@code sqlite:FILE}. Refuses the URL of another database with the name of its backup program.
     */
    public static SqliteBackup of(String url) {
        return new SqliteBackup(SqliteCopies.of(url));
    }

    /**
     * Backups that replace an existing target file, with the {@code -wal} and other files of SQLite beside it. By default, an existing target is an
     * error. A file that a process has open is never replaced.
     */
    public SqliteBackup replacing() {
        return new SqliteBackup(copies.replacing());
    }

    /** An upper bound of the size of a backup now, in bytes. */
    public long bytes() {
        return copies.bytes();
    }

    /**
     * Copies the storage, as of one moment after the call began, to a single file. The file appears when it is complete and on the disk.
     *
     * @param progress gets the number of bytes copied so far
     */
    public Copied backUp(Path file, LongConsumer progress) {
        return copied(copies.backUp(file, progress));
    }

    /**
     * Checks the file and replaces the storage with a copy of it. The sessions of the file have ended: their tasks come back as soon as a process
     * opens the storage. Refuses while a process has the storage open.
     *
     * <p>Stop all processes that use the storage first. A process that opens the storage during the replacement is noticed only afterwards, and
     * reported as an error.
     *
     * @param progress gets the number of bytes copied so far
     */
    public Copied restore(Path file, LongConsumer progress) {
        return copied(copies.restore(file, progress));
    }

    private static Copied copied(SqliteCopies.Copy copy) {
        return new Copied(copy.bytes(), copy.liveTasks());
    }
}
