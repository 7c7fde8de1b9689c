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
 * A file before Leat opens it as a storage. The checks change nothing and leave no files beside it. Only SQLite reads the file:
 * if this process opened and closed the file itself, the system would drop the locks of its SQLite connections.
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
     * Reads the file as immutable, since other reads make -wal and -shm files. Such a read does not see the WAL, and may fail on
     * pages that another process writes, because it takes no locks. With a WAL, an ordinary read makes no new file.
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
