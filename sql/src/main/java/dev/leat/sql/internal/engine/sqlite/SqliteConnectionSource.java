package dev.leat.sql.internal.engine.sqlite;

import dev.leat.sql.internal.jdbc.ConnectionSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.sqlite.SQLiteConfig;

/** Connections to a SQLite file in WAL mode. */
public record SqliteConnectionSource(Path file, SqliteUrl.Synchronous synchronous) implements ConnectionSource {
    @Override
    public Connection open() throws SQLException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new SQLException("the folder " + folder + " does not exist");
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(SqliteDialect.BUSY_TIMEOUT_MILLIS);
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.valueOf(synchronous.name()));
        return config.createConnection("jdbc:sqlite:" + file);
    }

    /** Does nothing, because there is no network. */
    @Override
    public void limitSilence(Connection connection, Duration longest) {}
}
