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
 * Runs named statements on one connection, and keeps them prepared. Used by one thread at a time; inside a transaction that
 * {@link Db} begins and ends.
 */
public final class Tx implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tx.class);
    private static final Duration ASK_AFTER = Duration.ofSeconds(10);
    private static final int ASK_SECONDS = 5;

    private final Connection connection;
    private final Dialect dialect;
    private final Statements statements;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private boolean usable = true;
    private long restingSince = System.nanoTime();

    /** Reads one row. */
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** A failed statement: the one place where errors of the driver become errors of the storage. */
    public static final class Failure extends StorageException {
        private static final long serialVersionUID = 1L;

        public final Dialect.Trouble trouble;
        private final boolean inDoubt;

        public Failure(Dialect dialect, String what, SQLException cause) {
            this(what + " failed: " + dialect.explain(cause), cause, dialect.trouble(cause), false);
        }

        /** Somebody else was faster. */
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

        /** The same failure of something that may have been done all the same. */
        Failure inDoubt() {
            return new Failure(getMessage() + " It may have been done or not.", this, trouble, true);
        }

        public boolean isInDoubt() {
            return inDoubt;
        }

        /** Callers know nothing of this class: in a stack trace it goes by the name of what they may catch. */
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

    /** Nobody uses the connection from now on. */
    void rest() {
        restingSince = System.nanoTime();
    }

    /**
     * Whether the connection still works. Only one that has rested for a while is asked: a server that was restarted meanwhile
     * would make the first put fail without anybody knowing whether it was done.
     */
    boolean isAlive() {
        if (System.nanoTime() - restingSince < ASK_AFTER.toNanos()) {
            return true;
        }
        try {
            return connection.isValid(ASK_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    /** The connection is in an unknown state. */
    void giveUp() {
        usable = false;
    }

    public long now() {
        return first("moment", row -> row.getLong(1)).orElseThrow();
    }

    public <T> List<T> list(String name, Reader<T> reader, @Nullable Object... values) {
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
        try (ResultSet rows = bound(name, values).executeQuery()) {
            return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    public List<Long> ids(String name, @Nullable Object... values) {
        return list(name, row -> row.getLong(1), values);
    }

    /** The number in the first column of the first row; 0 when there is none. */
    public long number(String name, @Nullable Object... values) {
        return first(name, row -> row.getLong(1), values).orElse(0L);
    }

    /** Answers how many rows were changed. */
    public int update(String name, @Nullable Object... values) {
        try {
            return bound(name, values).executeUpdate();
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    /** Collects many executions of one statement. */
    public Batch batch(String name) {
        try {
            PreparedStatement statement = statement(name);
            // A transaction that failed half-way may have left something in it.
            statement.clearBatch();
            return new Batch(name, statement);
        } catch (SQLException e) {
            throw failure(name, e);
        }
    }

    public final class Batch {
        private final String name;
        private final PreparedStatement statement;
        private int size;

        private Batch(String name, PreparedStatement statement) {
            this.name = name;
            this.statement = statement;
        }

        public void add(@Nullable Object... values) {
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

        /** The same, and answers how many rows each execution has changed. */
        public int[] counts() {
            return execute();
        }

        /** The same, but the transaction begins anew when one execution finds its row changed by somebody else. */
        public void runAll() {
            for (int changed : execute()) {
                if (changed == 0) {
                    throw new Failure("Statement '" + name + "' found a row that somebody else has just changed");
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

    /** Runs the statements of a script; each ends with a semicolon before an empty line. */
    void script(String name, String script) {
        for (String sql : script.split(";\\s*(\\n\\s*\\n|$)", -1)) {
            if (!sql.isBlank()) {
                scriptStatement(name, sql);
            }
        }
    }

    /** Makes or drops something. Such statements take no bound values, so these stand in for the words of their names. */
    public void define(String name, Map<String, String> values) {
        String sql = statements.get(name);
        for (Map.Entry<String, String> value : values.entrySet()) {
            sql = sql.replace(":" + value.getKey(), value.getValue());
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
        PreparedStatement statement = statement(name);
        bind(statement, values);
        return statement;
    }

    private PreparedStatement statement(String name) throws SQLException {
        PreparedStatement statement = prepared.get(name);
        if (statement == null) {
            statement = connection.prepareStatement(statements.get(name));
            prepared.put(name, statement);
        }
        return statement;
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

    /** Leaves the connection, which is somebody else's, as it was. */
    void leave() {
        for (PreparedStatement statement : prepared.values()) {
            try {
                statement.close();
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
