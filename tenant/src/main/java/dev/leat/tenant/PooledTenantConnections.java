package dev.leat.tenant;

import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.tenant.internal.DaemonThreads;
import dev.leat.tenant.internal.LentConnection;
import dev.leat.tenant.internal.TenantPool;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small pool of connections for each tenant that is in use. Safe from any thread.
 *
 * <p>There are at most so many pools: for one more, the pool that was used longest ago and of which no connection is in use is
 * closed. If there is none, the caller waits. Pools that are unused for a while are closed as well.
 *
 * <p>The lock guards only the list of pools. No thread calls a database or a service while it holds the lock, so a tenant whose database is
 * slow holds up its own callers alone: each pool connects on a thread of its own, and pools are closed on threads of their own. One
 * thread looks for idle pools, and is lent to the pools for their housekeeping.
 */
public final class PooledTenantConnections implements TenantConnections {
    private static final Logger log = LoggerFactory.getLogger(PooledTenantConnections.class);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(30);
    private static final Duration RAREST_LOOK = Duration.ofMinutes(1);

    private final TenantCredentials credentials;
    private final int connectionsPerTenant;
    private final int maxPools;
    private final Duration idleTimeout;
    private final Duration maxWait;
    private final InstantSource clock;

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, new DaemonThreads("leat-tenants-timer"));
    private final ExecutorService closers = Executors.newCachedThreadPool(new DaemonThreads("leat-tenants-closer"));

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition poolIsIdle = lock.newCondition();
    /** Those used longest ago come first. */
    private final Map<String, Entry> pools = new LinkedHashMap<>(16, 0.75f, true);

    private boolean closed;

    /** A pool and the number of its users; guarded by the lock. */
    private static final class Entry {
        final TenantPool pool;
        /** Callers that have a connection, or wait for one. */
        int users;

        Instant lastUsed = Instant.MIN;

        Entry(TenantPool pool) {
            this.pool = pool;
        }
    }

    private PooledTenantConnections(Builder b) {
        credentials = b.credentials;
        connectionsPerTenant = b.connectionsPerTenant;
        maxPools = b.maxPools;
        idleTimeout = b.idleTimeout;
        maxWait = b.maxWait;
        clock = b.clock;
        timer.setRemoveOnCancelPolicy(true);
        long pause = Math.max(1, Math.min(RAREST_LOOK.toMillis(), idleTimeout.toMillis() / 2));
        timer.scheduleWithFixedDelay(this::closeIdle, pause, pause, TimeUnit.MILLISECONDS);
    }

    public static Builder builder(TenantCredentials credentials) {
        return new Builder(credentials);
    }

    @Override
    public Connection connection(String tenant) {
        long deadline = System.nanoTime() + maxWait.toNanos();
        Entry entry = enter(tenant, deadline);
        try {
            Connection connection = entry.pool.connection(deadline);
            return LentConnection.of(connection, tenant, () -> leave(entry));
        } catch (Throwable e) {
            leave(entry);
            throw e;
        }
    }

    private Entry enter(String tenant, long deadline) {
        lock.lock();
        try {
            while (true) {
                if (closed) {
                    throw new ClosedException("PooledTenantConnections");
                }
                Entry entry = pools.get(tenant);
                if (entry == null && hasRoom()) {
                    // Reads no credentials and connects to nothing: the first connection does.
                    entry = new Entry(new TenantPool(
                            tenant, credentials, connectionsPerTenant, idleTimeout, maxWait, timer, clock));
                    pools.put(tenant, entry);
                }
                if (entry != null) {
                    entry.users++;
                    return entry;
                }
                awaitIdlePool(tenant, deadline);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoom() {
        if (pools.size() < maxPools) {
            return true;
        }
        Iterator<Entry> longestAgoFirst = pools.values().iterator();
        while (longestAgoFirst.hasNext()) {
            Entry entry = longestAgoFirst.next();
            if (entry.users == 0) {
                longestAgoFirst.remove();
                closers.execute(entry.pool::close);
                return true;
            }
        }
        return false;
    }

    private void awaitIdlePool(String tenant, long deadline) {
        try {
            if (poolIsIdle.awaitNanos(deadline - System.nanoTime()) <= 0) {
                throw new TenantException("no room for a pool for tenant '" + tenant + "': all " + maxPools
                        + " pools of other tenants were in use for " + maxWait
                        + "; allow more by maxPools, or let fewer handlers run at once");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TenantException("interrupted while waiting for room for a pool for tenant '" + tenant + "'", e);
        }
    }

    private void leave(Entry entry) {
        lock.lock();
        try {
            entry.lastUsed = clock.instant();
            if (--entry.users == 0) {
                poolIsIdle.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes pools that are unused for a while. */
    void closeIdle() {
        lock.lock();
        try {
            Instant before = clock.instant().minus(idleTimeout);
            pools.values().removeIf(entry -> {
                boolean idle = entry.users == 0 && !entry.lastUsed.isAfter(before);
                if (idle) {
                    closers.execute(entry.pool::close);
                }
                return idle;
            });
        } finally {
            lock.unlock();
        }
    }

    /** The tenants that have a pool. */
    Set<String> tenants() {
        lock.lock();
        try {
            return Set.copyOf(pools.keySet());
        } finally {
            lock.unlock();
        }
    }

    /** Closes all pools, within 30 seconds; connections that are still in use are cut off. */
    @Override
    public void close() {
        List<Entry> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(pools.values());
            pools.clear();
            all.forEach(entry -> closers.execute(entry.pool::close));
            closers.shutdown();
            poolIsIdle.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            if (!closers.awaitTermination(LONGEST_CLOSE.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("pools of tenants are still closing after {}; their threads end by themselves", LONGEST_CLOSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
    }

    @Override
    public String toString() {
        return "PooledTenantConnections" + tenants();
    }

    /** Describes the pools. */
    public static final class Builder {
        private static final Duration LONGEST = Duration.ofDays(365);

        private final TenantCredentials credentials;
        private int connectionsPerTenant = 4;
        private int maxPools = 50;
        private Duration idleTimeout = Duration.ofMinutes(10);
        private Duration maxWait = Duration.ofSeconds(30);
        private InstantSource clock = InstantSource.system();

        private Builder(TenantCredentials credentials) {
            this.credentials = credentials;
        }

        /** How many connections a tenant may have at once; default 4. They are made when they are needed. */
        public Builder connectionsPerTenant(int most) {
            this.connectionsPerTenant = atLeastOne("connectionsPerTenant", most);
            return this;
        }

        /** How many tenants may have a pool at once; default 50. */
        public Builder maxPools(int most) {
            this.maxPools = atLeastOne("maxPools", most);
            return this;
        }

        /** After how long without use a pool is closed; default 10 minutes. */
        public Builder idleTimeout(Duration after) {
            this.idleTimeout = positive("idleTimeout", after);
            return this;
        }

        /** How long a caller waits for a connection, with all there is to wait for; default 30 seconds. */
        public Builder maxWait(Duration longest) {
            this.maxWait = positive("maxWait", longest);
            return this;
        }

        Builder clock(InstantSource source) {
            this.clock = source;
            return this;
        }

        public PooledTenantConnections build() {
            return new PooledTenantConnections(this);
        }

        private static int atLeastOne(String field, int value) {
            if (value < 1) {
                throw new InvalidRequestException(field, "must be at least 1, was " + value);
            }
            return value;
        }

        private static Duration positive(String field, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new InvalidRequestException(field, "must be more than zero, was " + value);
            }
            if (value.compareTo(LONGEST) > 0) {
                throw new InvalidRequestException(field, "must be at most " + LONGEST.toDays() + " days, was " + value);
            }
            return value;
        }
    }
}
