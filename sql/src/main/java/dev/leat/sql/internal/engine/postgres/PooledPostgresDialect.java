package dev.leat.sql.internal.engine.postgres;

import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.LentConnections;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.peers.PooledPeers;
import dev.leat.sql.internal.peers.Watcher;
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

    /** What {@link #prepare} changes, which only the driver knows of. */
    public static LentConnections.Undo remember(Connection connection) throws SQLException {
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
    public Peers peers(Db db, Tables tables, Peers.Hearer hearer, Supplier<Watcher> watcher) {
        return new PooledPeers(db, tables, watcher.get());
    }

    @Override
    public Duration missInterval() {
        return Duration.ofSeconds(1);
    }
}
