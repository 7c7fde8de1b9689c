package dev.leat.tenant.internal;

import dev.leat.tenant.TenantCredentials;
import dev.leat.tenant.TenantDatabase;
import dev.leat.tenant.TenantException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Opens the connections of one tenant's pool, with credentials that it keeps. A refused login has them read again, once, since the
 * password may have been changed.
 *
 * <p>If that fails too, there are no logins for some seconds: databases lock accounts after some wrong passwords, and the pool would
 * try several times per second. Opening is the pool's, one at a time; {@link #refusal} and {@link #problem} are for any thread.
 */
final class Logins implements DataSource {
    private static final org.slf4j.Logger log = LoggerFactory.getLogger(Logins.class);
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final String tenant;
    private final TenantCredentials credentials;
    private final InstantSource clock;
    private final Runnable onNewCredentials;
    private @Nullable TenantDatabase known;
    private volatile @Nullable Refusal refusal;
    private volatile @Nullable SQLException problem;

    private record Refusal(TenantException why, Instant until) {}

    /** @param onNewCredentials called after the first login with new credentials */
    Logins(String tenant, TenantCredentials credentials, InstantSource clock, Runnable onNewCredentials) {
        this.tenant = tenant;
        this.credentials = credentials;
        this.clock = clock;
        this.onNewCredentials = onNewCredentials;
    }

    /** The reason why logins are suspended, if they are. */
    Optional<TenantException> refusal() {
        Refusal last = refusal;
        return last != null && clock.instant().isBefore(last.until) ? Optional.of(last.why) : Optional.empty();
    }

    /** The last failure, if no login has succeeded since: the database may be down for a moment. */
    Optional<SQLException> problem() {
        return Optional.ofNullable(problem);
    }

    @Override
    public synchronized Connection getConnection() throws SQLException {
        Optional<TenantException> recent = refusal();
        if (recent.isPresent()) {
            throw new SQLException(recent.get().getMessage(), recent.get());
        }
        try {
            Connection connection = login();
            refusal = null;
            problem = null;
            return connection;
        } catch (TenantException e) {
            refusal = new Refusal(e, clock.instant().plus(PAUSE));
            throw new SQLException(e.getMessage(), e);
        } catch (SQLException e) {
            problem = e;
            throw e;
        }
    }

    private Connection login() throws SQLException {
        TenantDatabase database = known == null ? read() : known;
        try {
            return open(database);
        } catch (SQLException e) {
            if (!isRefusedLogin(e)) {
                throw e;
            }
            return loginAgain(database, e);
        }
    }

    private Connection loginAgain(TenantDatabase refused, SQLException why) throws SQLException {
        log.info("the database of tenant {} refuses the login: reading its credentials again", tenant);
        TenantDatabase fresh = read();
        if (fresh.equals(refused)) {
            throw stillRefused(fresh, why);
        }
        Connection connection;
        try {
            connection = open(fresh);
        } catch (SQLException e) {
            if (isRefusedLogin(e)) {
                throw stillRefused(fresh, e);
            }
            throw e;
        }
        onNewCredentials.run();
        return connection;
    }

    private TenantException stillRefused(TenantDatabase database, SQLException why) {
        return new TenantException(
                "the database of tenant '" + tenant + "' at " + database.address() + " refuses the login of user '"
                        + database.user() + "', and credentials that were read again are no better: "
                        + why.getMessage(),
                why);
    }

    private TenantDatabase read() {
        try {
            TenantDatabase database = credentials.read(tenant);
            known = database;
            return database;
        } catch (Exception e) {
            throw new TenantException(
                    "the credentials of tenant '" + tenant + "' could not be read: " + e.getMessage(), e);
        }
    }

    private static Connection open(TenantDatabase database) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(database.properties());
        if (!database.user().isEmpty()) {
            properties.setProperty("user", database.user());
        }
        if (!database.password().isEmpty()) {
            properties.setProperty("password", database.password());
        }
        try {
            return DriverManager.getConnection(database.jdbcUrl(), properties);
        } catch (SQLException e) {
            throw Secrets.of(database).leftOut(e);
        } catch (RuntimeException e) {
            throw Secrets.of(database).leftOut(new SQLException("the driver failed: " + e, e));
        }
    }

    /** Class 28 is "invalid authorization": 28P01 and 28000 of PostgreSQL, 28000 of MariaDB. */
    private static boolean isRefusedLogin(SQLException e) {
        return e instanceof SQLInvalidAuthorizationSpecException
                || (e.getSQLState() != null && e.getSQLState().startsWith("28"));
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the tenant's credentials are used");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("is not a wrapper");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    @Override
    public String toString() {
        return "Logins[tenant " + tenant + "]";
    }
}
