package dev.leat.sql.internal.engine.postgres;

import dev.leat.sql.internal.jdbc.Times;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What Leat wants of a PostgreSQL server for the rest of a session, or of a transaction, as one statement. */
final class PostgresSettings {
    /**
     * A process that stands still in a transaction, or whose line is dead, would keep its locks from everybody. A longer or
     * shorter time of the server's or the URL's is left as it is.
     */
    private static final String IDLE_TIMEOUT = "5s";

    private final boolean local;
    private final List<String> calls = new ArrayList<>();

    private PostgresSettings(boolean local) {
        this.local = local;
    }

    static PostgresSettings ofSession() {
        return new PostgresSettings(false);
    }

    static PostgresSettings ofTransaction() {
        return new PostgresSettings(true);
    }

    /** Tables without statistics would be scanned as a whole, short statements compiled, and each planned anew. */
    PostgresSettings planning() {
        return set("enable_seqscan", "'off'")
                .set("enable_bitmapscan", "'off'")
                .set("jit", "'off'")
                .set("plan_cache_mode", "'force_generic_plan'");
    }

    PostgresSettings idleTimeout() {
        String name = "idle_in_transaction_session_timeout";
        return set(name, "coalesce(nullif(current_setting('" + name + "'), '0'), '" + IDLE_TIMEOUT + "')");
    }

    /** The time of a test. */
    PostgresSettings now(Instant time) {
        return set("leat.now", "'" + Times.micros(time) + "'");
    }

    private PostgresSettings set(String name, String expression) {
        calls.add("set_config('" + name + "', " + expression + ", " + local + ")");
        return this;
    }

    String statement() {
        return "SELECT " + String.join(", ", calls);
    }

    void apply(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statement());
        }
    }
}
