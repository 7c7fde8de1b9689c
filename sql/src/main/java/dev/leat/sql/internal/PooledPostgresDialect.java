package dev.leat.sql.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.postgresql.PGConnection;

/**
 * PostgreSQL behind a pooler that gives each transaction another session, as PgBouncer does in transaction mode. So nothing is
 * left in a session that the next transaction, which may be somebody else's, would find there: no settings, no prepared
 * statements. And nothing is expected of it: every transaction brings its settings along, and nobody listens.
 */
final class PooledPostgresDialect extends PostgresDialect {
    PooledPostgresDialect(Connections connections, Optional<InstantSource> testClock) {
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

    /** What {@link #prepare} changes, which only the driver knows of. */
    static LentConnections.Undo remember(Connection connection) throws SQLException {
        int threshold = connection.unwrap(PGConnection.class).getPrepareThreshold();
        return back -> back.unwrap(PGConnection.class).setPrepareThreshold(threshold);
    }

    /** In one round trip. */
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

    /** It is a connection of the caller's: Leat's own prepare nothing. */
    @Override
    String adviceOnMixedUpStatements() {
        return "behind PgBouncer in transaction mode your own connection needs prepareThreshold=0 in its URL";
    }

    @Override
    public Neighbours neighbours(Db db, Tables tables, Neighbours.Hearer hearer, Supplier<Watcher> watcher) {
        return new PooledNeighbours(db, tables, watcher.get());
    }

    @Override
    public Duration missInterval() {
        return Duration.ofSeconds(1);
    }
}
