package dev.leat.tenant.internal;

import com.zaxxer.hikari.HikariDataSource;
import dev.leat.tenant.TenantCredentials;
import dev.leat.tenant.TenantException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The connections of one tenant. The pool opens them on a thread of its own, through {@link Logins}, while callers wait for them in
 * short turns: it tells nobody of failures before their time is up, and a refused login would cost each caller all of it. Safe from any
 * thread.
 */
public final class TenantPool {
    /** The shortest that the pool accepts. */
    private static final Duration TURN = Duration.ofMillis(250);

    private static final Duration SHORTEST_IDLE = Duration.ofSeconds(10);
    /** Must be well below 30 minutes, after which the pool replaces every connection. */
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(10);

    private final String tenant;
    private final Duration maxWait;
    private final Logins logins;
    private final HikariDataSource pool = new HikariDataSource();

    public TenantPool(
            String tenant,
            TenantCredentials credentials,
            int size,
            Duration idleTimeout,
            Duration maxWait,
            ScheduledExecutorService housekeeping,
            InstantSource clock) {
        this.tenant = tenant;
        this.maxWait = maxWait;
        this.logins = new Logins(tenant, credentials, clock, this::closeOlder);
        pool.setPoolName("tenant " + tenant);
        pool.setDataSource(logins);
        pool.setAutoCommit(false);
        pool.setMaximumPoolSize(size);
        pool.setMinimumIdle(0);
        pool.setIdleTimeout(between(SHORTEST_IDLE, idleTimeout, LONGEST_IDLE).toMillis());
        pool.setConnectionTimeout(TURN.toMillis());
        pool.setInitializationFailTimeout(-1);
        pool.setScheduledExecutor(housekeeping);
    }

    private static Duration between(Duration least, Duration value, Duration most) {
        return value.compareTo(least) < 0 ? least : value.compareTo(most) > 0 ? most : value;
    }

    /** @param deadline as {@link System#nanoTime} counts */
    public Connection connection(long deadline) {
        while (true) {
            try {
                return pool.getConnection();
            } catch (SQLTransientConnectionException turnIsOver) {
                logins.refusal().ifPresent(refusal -> {
                    throw new TenantException(String.valueOf(refusal.getMessage()), refusal);
                });
                if (System.nanoTime() - deadline >= 0) {
                    throw late();
                }
            } catch (SQLException e) {
                throw new TenantException(
                        "no connection to the database of tenant '" + tenant + "': " + e.getMessage(), e);
            }
        }
    }

    private TenantException late() {
        int size = pool.getMaximumPoolSize();
        if (pool.getHikariPoolMXBean().getActiveConnections() >= size) {
            return new TenantException("all " + size + " connections to the database of tenant '" + tenant
                    + "' were in use for " + maxWait
                    + "; allow more by connectionsPerTenant, or let fewer handlers run at once");
        }
        String late = "no connection to the database of tenant '" + tenant + "' within " + maxWait;
        Optional<SQLException> problem = logins.problem();
        return problem.map(why -> new TenantException(late + ": " + why.getMessage(), why))
                .orElseGet(() -> new TenantException(late + ": it takes longer to connect, or to get credentials"));
    }

    /** Connections with other credentials may lead to another database. */
    private void closeOlder() {
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    public void close() {
        pool.close();
    }
}
