package dev.leat.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.logging.Logger;

/**
 * A driver that keeps the connections to a database after they are closed, and hands them out again as new ones.
 *
 * <p>The contract opens a storage for every test. With new connections each time, PostgreSQL starts sessions and plans
 * statements that the session before had planned already. The storage itself
 * knows nothing of this and is new for each test.
 *
 * <p>Only URLs with the parameter {@link #MARK} are served, so that tests of connections and their loss are not affected.
 */
final class KeptConnections implements Driver {
    private static final String MARK = "keepConnections=true";
    private static final int MOST_IDLE = 12;

    static {
        try {
            Deque<Driver> others = new ArrayDeque<>(DriverManager.drivers().toList());
            // The first driver that accepts a URL wins.
            for (Driver other : others) {
                DriverManager.deregisterDriver(other);
            }
            DriverManager.registerDriver(new KeptConnections());
            for (Driver other : others) {
                DriverManager.registerDriver(other);
            }
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Map<String, Deque<Connection>> idle = new ConcurrentHashMap<>();

    private KeptConnections() {}

    /** The same database, whose connections are kept. */
    static TestDatabase to(TestDatabase database) {
        return new TestDatabase(marked(database.leatUrl()), marked(database.jdbcUrl()));
    }

    private static String marked(String url) {
        return url + "&" + MARK;
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.contains(MARK);
    }

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Deque<Connection> kept =
                idle.computeIfAbsent(url + new ConcurrentHashMap<>(properties), key -> new ConcurrentLinkedDeque<>());
        for (Connection connection = kept.poll(); connection != null; connection = kept.poll()) {
            if (connection.isValid(10)) {
                return lent(connection, kept);
            }
            connection.close();
        }
        return lent(DriverManager.getConnection(url.replace("&" + MARK, ""), properties), kept);
    }

    private static Connection lent(Connection real, Deque<Connection> kept) {
        return (Connection) Proxy.newProxyInstance(
                KeptConnections.class.getClassLoader(), new Class<?>[] {Connection.class}, new Lent(real, kept)::call);
    }

    /** A connection until it is closed. */
    private static final class Lent {
        private final Connection real;
        private final Deque<Connection> kept;
        private boolean closed;

        Lent(Connection real, Deque<Connection> kept) {
            this.real = real;
            this.kept = kept;
        }

        Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("isClosed") && isClosed()) {
                return true;
            }
            if (method.getName().equals("close")) {
                giveBack();
                return null;
            }
            if (isClosed()) {
                throw new SQLException("This connection has been closed.", "08003");
            }
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private synchronized boolean isClosed() {
            return closed;
        }

        private void giveBack() throws SQLException {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            if (kept.size() >= MOST_IDLE || !isLikeNew()) {
                real.close();
            } else {
                kept.push(real);
            }
        }

        private boolean isLikeNew() {
            try {
                if (real.isClosed()) {
                    return false;
                }
                if (!real.getAutoCommit()) {
                    real.rollback();
                    real.setAutoCommit(true);
                }
                real.setReadOnly(false);
                real.setNetworkTimeout(Runnable::run, 0);
                real.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                try (Statement statement = real.createStatement()) {
                    statement.execute("UNLISTEN *; RESET ALL; SELECT pg_advisory_unlock_all()");
                }
                real.clearWarnings();
                return true;
            } catch (SQLException e) {
                return false;
            }
        }
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}
