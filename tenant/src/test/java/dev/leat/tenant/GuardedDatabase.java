package dev.leat.tenant;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

/**
 * A SQLite file behind a driver that asks for a password, which SQLite has not, and counts. It can be made slow, and be taken
 * down.
 */
final class GuardedDatabase {
    static final String SCHEME = "jdbc:guarded:";
    private static final Map<String, GuardedDatabase> ALL = new ConcurrentHashMap<>();

    static {
        try {
            DriverManager.registerDriver(new GuardedDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final AtomicInteger logins = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger waiting = new AtomicInteger();
    volatile String password = "hush-1";
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile boolean down;
    volatile boolean quotesThePassword;

    private final String url;
    private final String file;

    GuardedDatabase(Path folder, String name) {
        url = SCHEME + folder.resolve(name);
        file = "jdbc:sqlite:" + folder.resolve(name + ".db");
        ALL.put(url, this);
    }

    /** What lets somebody in now. */
    TenantDatabase credentials() {
        return new TenantDatabase(url, "app", password);
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(file);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection connect(Properties given) throws SQLException {
        waiting.incrementAndGet();
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        } finally {
            waiting.decrementAndGet();
        }
        if (down) {
            throw new SQLNonTransientConnectionException("nobody listens there", "08001");
        }
        if (!password.equals(given.getProperty("password"))) {
            refused.incrementAndGet();
            String quoted = quotesThePassword ? " with " + given.getProperty("password") : "";
            throw new SQLException(
                    "go away, " + given.getProperty("user"), "28P01", new IllegalArgumentException("wrong" + quoted));
        }
        logins.incrementAndGet();
        Properties rest = new Properties();
        rest.putAll(given);
        rest.remove("user");
        rest.remove("password");
        return counted(DriverManager.getConnection(file, rest));
    }

    private Connection counted(Connection connection) {
        open.incrementAndGet();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        open.decrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static final class GuardedDriver implements Driver {
        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            return acceptsURL(url) ? ALL.get(url).connect(info) : null;
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith(SCHEME);
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
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
}
