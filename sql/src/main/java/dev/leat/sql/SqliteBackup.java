package dev.leat.sql;

import dev.leat.sql.internal.engine.sqlite.SqliteCopies;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Whole copies of a SQLite storage: {@link #backUp} makes one while workers and producers go on, {@link #restore} puts one in the
 * place of the storage. To copy the file itself is not enough: the last commits are in another file beside it. Immutable.
 */
public final class SqliteBackup {
    /**
     * What a copy holds.
     *
     * @param bytes the size of the file
     * @param liveTasks how many tasks are not finished
     */
    public record Copied(long bytes, long liveTasks) {}

    private final SqliteCopies copies;

    private SqliteBackup(SqliteCopies copies) {
        this.copies = copies;
    }

    /**
     * For the storage at this URL, {@code sqlite:FILE}. Any other is refused, with the name of the program that copies such a
     * database.
     */
    public static SqliteBackup of(String url) {
        return new SqliteBackup(SqliteCopies.of(url));
    }

    /**
     * The same, and a file that is in the way is replaced, with the {@code -wal} and other files of SQLite beside it. Without it, that is
     * an error. A file that any process has open is not replaced.
     */
    public SqliteBackup replacing() {
        return new SqliteBackup(copies.replacing());
    }

    /** How many bytes a backup would have now, or some more. */
    public long bytes() {
        return copies.bytes();
    }

    /**
     * Copies the storage, as it is at one moment after the call began, to a file that needs no other beside it. The file is there
     * when it is complete and on the disk, and not before.
     *
     * @param progress is told how many bytes there are by now
     */
    public Copied backUp(Path file, LongConsumer progress) {
        return copied(copies.backUp(file, progress));
    }

    /**
     * Puts a copy of the file in the place of the storage, after it was checked. Sessions that the file knows have ended: what they
     * held comes back as soon as somebody opens the storage. Refused while any process has the storage open.
     *
     * <p>Stop all processes that use the storage first: one that opens it at the moment of the replacement is only noticed afterwards,
     * and reported as an error.
     *
     * @param progress is told how many bytes there are by now
     */
    public Copied restore(Path file, LongConsumer progress) {
        return copied(copies.restore(file, progress));
    }

    private static Copied copied(SqliteCopies.Copy copy) {
        return new Copied(copy.bytes(), copy.liveTasks());
    }
}
