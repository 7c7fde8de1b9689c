package dev.leat.sql.internal;

import dev.leat.StorageException;
import dev.leat.StorageNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.sqlite.SQLiteConfig;

/** A file as it is before Leat opens it: looking at it changes nothing, and leaves no other files beside it. */
record SqliteFile(Path file) {
    private static final byte[] HEADER = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    /** Throws unless this is a SQLite database that has Leat's tables. */
    void requireTables(Tables tables) {
        if (!Files.exists(file)) {
            throw new StorageNotFoundException(file + " does not exist.");
        }
        if (!Files.isRegularFile(file) || !hasHeader()) {
            throw new StorageException(file + " is not a SQLite database.");
        }
        if (!hasTables(tables)) {
            throw new StorageNotFoundException(
                    file + " is a SQLite database without Leat's tables (" + tables.qualifiedPrefix() + "*).");
        }
    }

    private boolean hasHeader() {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(HEADER.length), HEADER);
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private boolean hasTables(Tables tables) {
        try {
            // A file in WAL mode gets -wal and -shm files from every reader but one that takes it for immutable. Such a
            // reader does not
            // see what is only in the WAL; where there is one, another reader makes no new file.
            return hasTables(tables, "?immutable=1") || hasLog() && hasTables(tables, "");
        } catch (SQLException | IOException e) {
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
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
