package dev.leat.sql.internal.engine.sqlite;

import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.row.RowStatements;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Backs up a SQLite file, also while other processes write to it, and restores backups.
 *
 * <p>{@code VACUUM INTO} reads one snapshot, so writers go on, and its copy has no WAL file. While it copied 60 MB in half a
 * second, no insert took longer than 20 ms. SQLite's backup API starts again after every commit of another process, and may
 * never end.
 */
public final class SqliteCopies {
    /** Instructions of SQLite's virtual machine; makes about five reports a second. */
    private static final int STEPS_BETWEEN_PROGRESS = 500_000;

    private static final List<String> BESIDE = List.of("-wal", "-shm", "-journal");

    /** The size and content of a copy. */
    public record Copy(long bytes, long liveTasks) {}

    /** What to do if the target exists. */
    private enum IfExists {
        REFUSE,
        REPLACE
    }

    private final Path storage;
    private final Tables tables;
    private final IfExists ifExists;
    private final Statements statements;

    private SqliteCopies(Path storage, Tables tables, IfExists ifExists) {
        this.storage = storage;
        this.tables = tables;
        this.ifExists = ifExists;
        this.statements = RowStatements.of(
                new SqliteDialect(() -> connect(storage), storage.toString(), tables, InstantSource.system()), tables);
    }

    public static SqliteCopies of(String url) {
        if (!url.startsWith(SqliteUrl.SCHEME)) {
            throw new InvalidRequestException("storage", "must be sqlite:FILE to be copied as a file; " + instead(url));
        }
        SqliteUrl parsed = SqliteUrl.parse(url);
        return new SqliteCopies(parsed.file(), parsed.tables(), IfExists.REFUSE);
    }

    public SqliteCopies replacing() {
        return new SqliteCopies(storage, tables, IfExists.REPLACE);
    }

    private static String instead(String url) {
        if (url.startsWith("jdbc:postgresql:")) {
            return "for PostgreSQL use pg_dump and pg_restore";
        } else if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
            return "for MariaDB and MySQL use mariadb-dump --single-transaction";
        } else if (url.startsWith("http:") || url.startsWith("https:")) {
            return "for a server run it where the file is, with the storage of that server";
        } else if (url.startsWith("memory:")) {
            return "tasks in memory have no file, and end with their process";
        }
        return "this storage is not a file";
    }

    public long bytes() {
        refuseMissing(storage, "the storage");
        return asking(storage, connection -> number(connection, statements.get("bytes-in-use")));
    }

    // Back up

    public Copy backUp(Path file, LongConsumer progress) {
        refuseMissing(storage, "the storage");
        if (isSame(file, storage)) {
            throw new StorageException(file + " is the storage itself; name another file for the backup.");
        }
        Path target = real(file);
        refuseReplacing(target);
        checkTables(storage);
        refuseIfOpen(target);
        return copy(storage, target, part -> {}, progress);
    }

    // Restore

    public Copy restore(Path file, LongConsumer progress) {
        refuseMissing(file, "a backup");
        if (isSame(file, storage)) {
            throw new StorageException(file + " is the storage itself; name the backup.");
        }
        checkTables(file);
        checkPages(file);
        Path target = real(storage);
        refuseReplacing(target);
        refuseIfOpen(target);
        return copy(file, target, this::endSessions, progress);
    }

    /** Marks all sessions as disconnected, so that their leases end at once and not after the heartbeat timeout. */
    private void endSessions(Path part) {
        asking(part, connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.executeUpdate(statements.get("disconnect-all"));
            }
        });
    }

    // The target

    /** The file behind a symbolic link, because a rename onto the link would replace the link. */
    private static Path real(Path target) {
        try {
            return Files.isSymbolicLink(target) && Files.exists(target) ? target.toRealPath() : target;
        } catch (IOException e) {
            throw new StorageException(target + " cannot be read: " + e, e);
        }
    }

    /** Deletes the WAL file of the old database, which SQLite would read as a part of the copy. */
    private void clear(Path target) throws IOException {
        refuseReplacing(target);
        refuseIfOpen(target);
        for (String suffix : BESIDE) {
            Files.deleteIfExists(beside(target, suffix));
        }
    }

    /** No lock covers the time between the check and the rename. A process that opens the file meanwhile makes a WAL file. */
    private static void refuseIfOpenedMeanwhile(Path target) {
        if (Files.exists(beside(target, "-wal"))) {
            throw new StorageException(target + " was opened by another process while it was replaced, and may be"
                    + " damaged. Stop all processes that use it, then replace it again.");
        }
    }

    /** A file cannot leave WAL mode while another connection is open. A file that is not a database is not in use. */
    private void refuseIfOpen(Path target) {
        if (!Files.exists(target)) {
            return;
        }
        try (Connection connection = connect(target);
                Statement statement = connection.createStatement()) {
            connection.unwrap(SQLiteConnection.class).setBusyTimeout(0);
            statement.execute(statements.get("leave-wal-mode"));
        } catch (SQLException e) {
            if (isBusy(e)) {
                throw new StorageException(
                        target + " is open in another process" + livingSessions(target) + ". Stop it first.", e);
            }
        }
    }

    private String livingSessions(Path target) {
        if (!hasTables(target)) {
            return "";
        }
        List<String> ids = asking(target, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(statements.get("living-sessions"))) {
                statement.setLong(1, Times.micros(Instant.now()));
                List<String> found = new ArrayList<>();
                ResultSet row = statement.executeQuery();
                while (row.next()) {
                    found.add(row.getString(1));
                }
                return found;
            }
        });
        return ids.isEmpty() ? "" : "; the session" + (ids.size() == 1 ? " " : "s ") + String.join(", ", ids);
    }

    // Checks

    private static void refuseMissing(Path file, String what) {
        if (!Files.isRegularFile(file)) {
            throw new StorageException(
                    "There is no file " + file + " that could be " + what + ".",
                    new NoSuchFileException(file.toString()));
        }
    }

    private static boolean isSame(Path one, Path other) {
        try {
            return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
        } catch (IOException e) {
            throw new StorageException(one + " and " + other + " cannot be compared: " + e, e);
        }
    }

    private void refuseReplacing(Path file) {
        if (ifExists == IfExists.REPLACE) {
            return;
        }
        if (Files.exists(file)) {
            throw exists(file, " is already there.");
        }
        for (String suffix : BESIDE) {
            Path left = beside(file, suffix);
            if (Files.exists(left)) {
                throw exists(left, " is left of a database that was there before.");
            }
        }
    }

    /** The cause lets the command line recognize the error and name its option for it. */
    private static StorageException exists(Path file, String problem) {
        return new StorageException(file + problem, new FileAlreadyExistsException(file.toString()));
    }

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private boolean hasTables(Path file) {
        return asking(file, connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.executeQuery(statements.get("has-migrations")).next();
            }
        });
    }

    private void checkTables(Path file) {
        if (!hasTables(file)) {
            throw new StorageException(file + " is not a Leat database: it has no table " + tables.prefix()
                    + "migration. If it is a plain copy of a file that was in use, its tables are still in the file"
                    + " that ends with -wal.");
        }
    }

    private void checkPages(Path file) {
        String answer = asking(file, connection -> {
            try (Statement statement = connection.createStatement()) {
                ResultSet row = statement.executeQuery(statements.get("check-pages"));
                return row.next() ? row.getString(1) : "";
            }
        });
        if (!answer.equals("ok")) {
            throw new StorageException(file + " is damaged: " + answer.replace('\n', ' '));
        }
    }

    // Copying

    private interface Change {
        void apply(Path file);
    }

    /** Copies to a file beside the target, and renames it when the copy is complete. */
    private Copy copy(Path from, Path to, Change change, LongConsumer progress) {
        Path folder = to.resolveSibling("").toAbsolutePath();
        try {
            Path part = Files.createTempFile(folder, to.getFileName() + ".", ".part");
            part.toFile().deleteOnExit(); // Ctrl-C runs no finally block
            try {
                vacuum(from, part, progress);
                change.apply(part);
                Copy copy = new Copy(Files.size(part), asking(part, this::liveTasks));
                progress.accept(copy.bytes());
                copyPermissions(Files.exists(to) ? to : from, part);
                force(part, StandardOpenOption.WRITE);
                clear(to);
                Files.move(part, to, StandardCopyOption.ATOMIC_MOVE);
                force(folder, StandardOpenOption.READ);
                refuseIfOpenedMeanwhile(to);
                return copy;
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            throw new StorageException(to + " cannot be written: " + e, e);
        }
    }

    private void vacuum(Path from, Path part, LongConsumer progress) {
        asking(from, connection -> {
            ProgressHandler.setHandler(connection, STEPS_BETWEEN_PROGRESS, new ProgressHandler() {
                @Override
                protected int progress() {
                    progress.accept(part.toFile().length());
                    return 0;
                }
            });
            try (PreparedStatement statement = connection.prepareStatement(statements.get("copy-file"))) {
                statement.setString(1, part.toString());
                return statement.execute();
            } finally {
                ProgressHandler.clearHandler(connection);
            }
        });
    }

    private long liveTasks(Connection connection) throws SQLException {
        return number(connection, statements.get("count-live-tasks"));
    }

    /** Gives the copy the permissions of the original, so that a backup is as private as the storage. */
    private static void copyPermissions(Path from, Path to) throws IOException {
        PosixFileAttributeView source = Files.getFileAttributeView(from, PosixFileAttributeView.class);
        if (source != null) {
            Files.setPosixFilePermissions(to, source.readAttributes().permissions());
        }
    }

    private static void force(Path path, StandardOpenOption how) throws IOException {
        try (FileChannel channel = FileChannel.open(path, how)) {
            channel.force(true);
        }
    }

    // SQLite

    private interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    private static <T> T asking(Path file, Question<T> question) {
        try (Connection connection = connect(file)) {
            return question.ask(connection);
        } catch (SQLException e) {
            throw new StorageException(trouble(file, e), e);
        }
    }

    private static String trouble(Path file, SQLException e) {
        if (code(e) == SQLiteErrorCode.SQLITE_NOTADB) {
            return file + " is not a SQLite database.";
        }
        return file
                + (code(e) == SQLiteErrorCode.SQLITE_CORRUPT ? " is damaged: " : " cannot be copied: ")
                + e.getMessage();
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeQuery(sql).getLong(1);
        }
    }

    private static boolean isBusy(SQLException e) {
        return code(e) == SQLiteErrorCode.SQLITE_BUSY || code(e) == SQLiteErrorCode.SQLITE_LOCKED;
    }

    /** The primary code, without the detail in the higher bits. */
    private static SQLiteErrorCode code(SQLException e) {
        return e instanceof SQLiteException
                ? SQLiteErrorCode.getErrorCode(((SQLiteException) e).getResultCode().code & 0xff)
                : SQLiteErrorCode.SQLITE_ERROR;
    }

    /** Keeps the journal mode of the file, because a check must not change a backup. */
    private static Connection connect(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(SqliteDialect.BUSY_TIMEOUT_MILLIS);
        return config.createConnection("jdbc:sqlite:" + file);
    }
}
