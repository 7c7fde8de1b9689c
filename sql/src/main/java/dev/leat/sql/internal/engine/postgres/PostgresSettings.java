package dev.leat.sql.internal.engine.postgres;

import dev.leat.sql.internal.jdbc.Times;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Settings for the rest of a session or of a transaction, in one statement. */
final class PostgresSettings {
    /**
     * Ends a transaction whose process is frozen or disconnected, so that its locks are released. A value set by the server or
     * the URL stays.
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

    /** Without these, PostgreSQL scans tables without statistics, compiles short statements, and plans each execution. */
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

    /** The time of the test clock. */
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
