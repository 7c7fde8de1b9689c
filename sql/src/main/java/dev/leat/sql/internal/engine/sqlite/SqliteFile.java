package dev.leat.sql.internal.engine.sqlite;

import dev.leat.error.StorageException;
import dev.leat.error.StorageNotFoundException;
import dev.leat.sql.internal.jdbc.Tables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A file as it is before Leat opens it: looking at it changes nothing, and leaves no other files beside it. Only SQLite reads the file:
 * when this process closes a file that it has read by itself, the system drops the locks of its other connections to the same file.
 */
public record SqliteFile(Path file) {
    /** Throws unless this is a SQLite database that has Leat's tables. */
    public void requireTables(Tables tables) {
        if (!Files.exists(file)) {
            throw new StorageNotFoundException(file + " does not exist.");
        }
        if (!Files.isRegularFile(file) || file.toFile().length() == 0) {
            throw noDatabase();
        }
        if (!hasTables(tables)) {
            throw new StorageNotFoundException(
                    file + " is a SQLite database without Leat's tables (" + tables.qualifiedPrefix() + "*).");
        }
    }

    private StorageException noDatabase() {
        return new StorageException(file + " is not a SQLite database.");
    }

    private boolean hasTables(Tables tables) {
        try {
            return hasTablesOutsideTheLog(tables) || hasLog() && hasTables(tables, "");
        } catch (SQLException | IOException e) {
            if (e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_NOTADB) {
                throw noDatabase();
            }
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Only a reader that takes the file for immutable makes no -wal and -shm files. It does not see what is only in the WAL, and, since
     * it takes no locks, may meet pages that another process is writing. Where there is a WAL, an ordinary reader makes no new file.
     */
    private boolean hasTablesOutsideTheLog(Tables tables) throws SQLException, IOException {
        try {
            return hasTables(tables, "?immutable=1");
        } catch (SQLException e) {
            if (hasLog()) {
                return false;
            }
            throw e;
        }
    }

    private boolean hasLog() throws IOException {
        Path real = file.toRealPath();
        return Files.exists(real.resolveSibling(real.getFileName() + "-wal"));
    }

    private boolean hasTables(Tables tables, String parameters) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(SqliteDialect.BUSY_TIMEOUT_MILLIS);
        String address = "file:" + file.toAbsolutePath().toUri().getRawPath() + parameters;
        try (Connection connection = config.createConnection("jdbc:sqlite:" + address);
                PreparedStatement statement =
                        connection.prepareStatement("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")) {
            statement.setString(1, tables.qualifiedPrefix() + "migration");
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }
}
