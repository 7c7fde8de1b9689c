package dev.leat.sql.internal.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections of the program's data source. Leat restores their settings before it returns them, and uses few, because the
 * program shares the data source. Connections for handlers go back after each handler. Safe from any thread.
 */
public final class LentConnections implements ConnectionSource {
    private static final Logger log = LoggerFactory.getLogger(LentConnections.class);

    /** Remembers the settings of a connection that a dialect is going to change. */
    public interface Memory {
        Undo remember(Connection connection) throws SQLException;
    }

    /** Restores the settings. */
    public interface Undo {
        void apply(Connection connection) throws SQLException;
    }

    private final DataSource source;
    private final int most;
    private final Memory memory;
    private final Map<Connection, Undo> lent = Collections.synchronizedMap(new IdentityHashMap<>());

    /** @param most the largest number of connections lent at a time */
    public LentConnections(DataSource source, int most, Memory memory) {
        this.source = source;
        this.most = most;
        this.memory = memory;
    }

    @Override
    public Connection open() throws SQLException {
        Connection connection = source.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            Undo rest = memory.remember(connection);
            lent.put(connection, back -> {
                rest.apply(back);
                back.setAutoCommit(autoCommit);
            });
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public void close(Connection connection) throws SQLException {
        Undo undo = lent.remove(connection);
        try (connection) {
            if (undo != null && !connection.isClosed()) {
                endTransaction(connection);
                undo.apply(connection);
            }
        } catch (SQLException e) {
            log.debug("A connection could not be made as it was, probably because it is broken: {}", e.getMessage());
        }
    }

    /** Rolls back first, because setAutoCommit(true) commits. */
    private static void endTransaction(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** One connection listens and one reads. Handlers and the writes of Leat share the others. */
    @Override
    public int most(Dialect.Access access, int wanted) {
        int share =
                switch (access) {
                    case READ -> 1;
                    case HANDLER -> (most - 2) / 2;
                    case WRITE -> most - 2 - (most - 2) / 2;
                };
        return Math.min(wanted, share);
    }

    /** The owner of the data source sets the limit. */
    @Override
    public void limitSilence(Connection connection, Duration longest) {}

    @Override
    public boolean keeps(Dialect.Access access) {
        return access != Dialect.Access.HANDLER;
    }
}
