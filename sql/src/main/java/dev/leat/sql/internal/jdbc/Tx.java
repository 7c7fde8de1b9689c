package dev.leat.sql.internal.jdbc;

import dev.leat.error.StorageException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs named statements on one connection and keeps them prepared. One thread at a time uses it, inside a transaction that
 * {@link Db} begins and ends.
 */
public final class Tx implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tx.class);
    private static final Duration CHECK_AFTER = Duration.ofSeconds(10);
    private static final int CHECK_SECONDS = 5;

    private final Connection connection;
    private final Dialect dialect;
    private final Statements statements;
    private final Map<String, Prepared> prepared = new HashMap<>();
    private boolean usable = true;
    private long idleSince = System.nanoTime();

    private record Prepared(PreparedStatement statement, ParsedSql parsed) {}

    /** Reads one row. */
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** A failed statement. All errors of drivers become errors of the storage here. */
    public static final class Failure extends StorageException {
        private static final long serialVersionUID = 1L;

        public final Dialect.Trouble trouble;
        private final boolean inDoubt;

        public Failure(Dialect dialect, String what, SQLException cause) {
            this(what + " failed: " + dialect.explain(cause), cause, dialect.trouble(cause), false);
        }

        /** Another transaction was faster. */
        private Failure(String message) {
            super(message);
            this.trouble = Dialect.Trouble.TRY_AGAIN;
            this.inDoubt = false;
        }

        private Failure(String message, Throwable cause, Dialect.Trouble trouble, boolean inDoubt) {
            super(message, cause);
            this.trouble = trouble;
            this.inDoubt = inDoubt;
        }

        /** The same failure, with an unknown result. */
        Failure inDoubt() {
            return new Failure(getMessage() + " It may have been done or not.", this, trouble, true);
        }

        public boolean isInDoubt() {
            return inDoubt;
        }

        /** Shows the public superclass in stack traces, because callers can catch only that. */
        @Override
        public String toString() {
            return StorageException.class.getName() + ": " + getMessage();
        }
    }

    Tx(Connection connection, Dialect dialect, Statements statements) {
        this.connection = connection;
        this.dialect = dialect;
        this.statements = statements;
    }

    public Connection connection() {
        return connection;
    }

    public Dialect dialect() {
        return dialect;
    }

    boolean isUsable() {
        return usable;
    }

    /** Marks the connection as idle from now on. */
    void rest() {
        idleSince = System.nanoTime();
    }

    /**
     * Whether the connection still works. Checks only a connection that was idle for 10 seconds: after a restart of the server,
     * the first put would fail with an unknown result.
     */
    boolean isAlive() {
        if (System.nanoTime() - idleSince < CHECK_AFTER.toNanos()) {
            return true;
        }
        try {
            return connection.isValid(CHECK_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Marks the connection as broken. */
    void giveUp() {
        usable = false;
    }

    public long now() {
        return first("moment", row -> row.getLong(1)).orElseThrow();
    }

    public <T> List<T> list(String name, Reader<T> reader, @Nullable Object... values) {
        refuseNames(name, statements.parsed(name));
        return read(name, reader, values);
    }

    private <T> List<T> read(String name, Reader<T> reader, @Nullable Object[] values) {
        try (ResultSet rows = bound(name, values).executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reader.read(rows));
            }
            return all;
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    public <T> Optional<T> first(String name, Reader<T> reader, @Nullable Object... values) {
        refuseNames(name, statements.parsed(name));
        try (ResultSet rows = bound(name, values).executeQuery()) {
            return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    public List<Long> ids(String name, @Nullable Object... values) {
        return list(name, row -> row.getLong(1), values);
    }

    /** The number in the first column of the first row, or 0 without rows. */
    public long number(String name, @Nullable Object... values) {
        return first(name, row -> row.getLong(1), values).orElse(0L);
    }

    /** Returns the number of changed rows. */
    public int update(String name, @Nullable Object... values) {
        refuseNames(name, statements.parsed(name));
        return execute(name, values);
    }

    private int execute(String name, @Nullable Object[] values) {
        try {
            return bound(name, values).executeUpdate();
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    /** Values for the named parameters of a statement. */
    public Values values(String name) {
        return new Values(name, statements.parsed(name));
    }

    public <T> List<T> list(Values values, Reader<T> reader) {
        return read(values.statement, reader, values.inOrder());
    }

    public List<Long> ids(Values values) {
        return list(values, row -> row.getLong(1));
    }

    /** The number in the first column of the first row, or 0 without rows. */
    public long number(Values values) {
        List<Long> numbers = ids(values);
        return numbers.isEmpty() ? 0 : numbers.get(0);
    }

    /** Returns the number of changed rows. */
    public int update(Values values) {
        return execute(values.statement, values.inOrder());
    }

    /** A batch of executions of one statement. */
    public Batch batch(String name) {
        try {
            Prepared prepared = prepared(name);
            // A transaction that failed half-way can have left executions in the statement.
            prepared.statement.clearBatch();
            return new Batch(name, prepared);
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    public final class Batch {
        private final String name;
        private final PreparedStatement statement;
        private final ParsedSql parsed;
        private int size;

        private Batch(String name, Prepared prepared) {
            this.name = name;
            this.statement = prepared.statement;
            this.parsed = prepared.parsed;
        }

        /** Values for the named parameters of the next execution. */
        public Values values() {
            return new Values(name, parsed);
        }

        public void add(Values values) {
            append(values.inOrder());
        }

        public void add(@Nullable Object... values) {
            refuseNames(name, parsed);
            append(values);
        }

        private void append(@Nullable Object[] values) {
            try {
                bind(statement, values);
                statement.addBatch();
                size++;
            } catch (SQLException e) {
                throw failure(name, e);
            }
        }

        public void run() {
            execute();
        }

        /** The same, and returns the number of changed rows of each execution. */
        public int[] counts() {
            return execute();
        }

        /** The same, but restarts the transaction if an execution changes no row, because another transaction was faster. */
        public void runAll() {
            for (int changed : execute()) {
                if (changed == 0) {
                    throw new Failure("Statement '" + name + "' found a row that another transaction has just changed");
                }
            }
        }

        private int[] execute() {
            if (size == 0) {
                return new int[0];
            }
            size = 0;
            try {
                return statement.executeBatch();
            } catch (SQLException e) {
                throw failure(name, e);
            }
        }
    }

    /** Runs a script. Each statement ends with a semicolon before an empty line. */
    void script(String name, String script) {
        for (String sql : script.split(";\\s*(\\n\\s*\\n|$)", -1)) {
            if (!sql.isBlank()) {
                scriptStatement(name, sql);
            }
        }
    }

    /** Runs DDL, which takes no bound values: {@code {day}} is replaced by the text of the value {@code day}. */
    public void define(String name, Map<String, String> values) {
        String sql = statements.get(name);
        for (Map.Entry<String, String> value : values.entrySet()) {
            sql = sql.replace("{" + value.getKey() + "}", value.getValue());
        }
        script(name, sql);
    }

    private void scriptStatement(String name, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!dialect.canDoWithout(e)) {
                throw failure(name, e);
            }
            log.warn("Leat does without a part of {}: {}", name, dialect.explain(e));
        }
    }

    private PreparedStatement bound(String name, @Nullable Object... values) throws SQLException {
        String claim = "claim-" + name;
        if (dialect.locksByWriting() && statements.has(claim)) {
            update(claim, values);
        }
        PreparedStatement statement = prepared(name).statement;
        bind(statement, values);
        return statement;
    }

    private Prepared prepared(String name) throws SQLException {
        Prepared found = prepared.get(name);
        if (found == null) {
            ParsedSql parsed = statements.parsed(name);
            found = new Prepared(connection.prepareStatement(parsed.sql()), parsed);
            prepared.put(name, found);
        }
        return found;
    }

    private static void refuseNames(String name, ParsedSql parsed) {
        if (parsed.hasNames()) {
            throw new IllegalArgumentException("Statement '" + name + "' has named parameters; use values(name)");
        }
    }

    private void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value instanceof Long number) {
                statement.setLong(i + 1, number);
            } else if (value instanceof Integer number) {
                statement.setInt(i + 1, number);
            } else if (value instanceof String text) {
                statement.setString(i + 1, dialect.storable(text));
            } else if (value instanceof byte[] bytes) {
                statement.setBytes(i + 1, bytes);
            } else if (value instanceof long[] || value instanceof int[] || value instanceof Object[]) {
                statement.setObject(i + 1, value);
            } else if (value instanceof Boolean flag) {
                statement.setInt(i + 1, flag ? 1 : 0);
            } else if (value == null) {
                statement.setNull(i + 1, Types.NULL);
            } else {
                throw new IllegalArgumentException("cannot bind a " + value.getClass());
            }
        }
    }

    private Failure failure(String name, SQLException cause) {
        return new Failure(dialect, "Statement '" + name + "' on " + dialect.name(), cause);
    }

    /** Closes the statements, and leaves the connection to its owner. */
    void leave() {
        for (Prepared each : prepared.values()) {
            try {
                each.statement.close();
            } catch (SQLException e) {
                log.debug("Closing a statement failed: {}", e.getMessage());
            }
        }
        prepared.clear();
    }

    @Override
    public void close() throws SQLException {
        dialect.source().close(connection);
    }
}
