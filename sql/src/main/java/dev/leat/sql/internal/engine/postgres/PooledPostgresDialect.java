package dev.leat.sql.internal.engine.postgres;

import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.LentConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.postgresql.PGConnection;

/**
 * PostgreSQL behind a pooler that gives each transaction another session, as PgBouncer does in transaction mode. A transaction
 * leaves no settings and no prepared statements in its session, because the next one may belong to another program. Each
 * transaction sets its own settings, and no connection listens.
 */
public final class PooledPostgresDialect extends PostgresDialect {
    public PooledPostgresDialect(ConnectionSource connections, Optional<InstantSource> testClock) {
        super(connections, testClock);
    }

    @Override
    public boolean keepsSessions() {
        return false;
    }

    @Override
    public void prepare(Connection connection, Access access) throws SQLException {
        connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    }

    /** Keeps the setting of the driver that {@link #prepare} changes. */
    public static LentConnections.Undo remember(Connection connection) throws SQLException {
        int threshold = connection.unwrap(PGConnection.class).getPrepareThreshold();
        return back -> back.unwrap(PGConnection.class).setPrepareThreshold(threshold);
    }

    /** Sends isolation level and settings in one round trip. */
    @Override
    public void begin(Connection connection, Access access) throws SQLException {
        connection.setAutoCommit(false);
        String isolation = access == Access.READ ? "REPEATABLE READ" : "READ COMMITTED";
        String settings =
                access == Access.HANDLER ? "" : "; " + settingsOfTransaction().statement();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + isolation + settings);
        }
    }

    private PostgresSettings settingsOfTransaction() {
        PostgresSettings settings = PostgresSettings.ofTransaction().planning().idleTimeout();
        testClock().ifPresent(clock -> settings.now(clock.instant()));
        return settings;
    }

    @Override
    void bringTime(Connection connection, Instant time) throws SQLException {
        PostgresSettings.ofTransaction().now(time).apply(connection);
    }

    /** The caller's connection causes this error, since Leat's own connections prepare no statements. */
    @Override
    String adviceOnMixedUpStatements() {
        return "behind PgBouncer in transaction mode your own connection needs prepareThreshold=0 in its URL";
    }

    @Override
    public Duration missInterval() {
        return Duration.ofSeconds(1);
    }
}
