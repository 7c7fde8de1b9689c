package dev.leat.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.testkit.ManualClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQLite files as the databases of tenants. Every secret has "hush" in it. */
class PooledTenantConnectionsTest {
    private static final int THREADS = 16;
    /** For callers that wait in vain, but long enough to connect on a busy machine. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock();
    private final Map<String, GuardedDatabase> databases = new ConcurrentHashMap<>();
    private final Map<String, TenantDatabase> told = new ConcurrentHashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        databases.values().forEach(database -> database.gate.countDown());
        for (AutoCloseable closeable : toClose) {
            closeable.close();
        }
    }

    private PooledTenantConnections pools(UnaryOperator<PooledTenantConnections.Builder> options) {
        PooledTenantConnections pools = options.apply(
                        PooledTenantConnections.builder(this::read).clock(clock))
                .build();
        toClose.add(pools);
        return pools;
    }

    private PooledTenantConnections pools() {
        return pools(options -> options);
    }

    private TenantDatabase read(String tenant) {
        reads.incrementAndGet();
        TenantDatabase database = told.get(tenant);
        if (database == null) {
            throw new IllegalStateException("nobody knows " + tenant);
        }
        return database;
    }

    private GuardedDatabase database(String tenant) {
        GuardedDatabase database = databases.computeIfAbsent(tenant, name -> new GuardedDatabase(folder, name));
        told.put(tenant, database.credentials());
        return database;
    }

    private static void use(TenantConnections connections, String tenant) throws SQLException {
        try (Connection connection = connections.connection(tenant)) {
            assertThat(connection.isValid(1)).isTrue();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM thing")) {
            return rows.getInt(1);
        }
    }

    private static void assertNoSecret(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text, true));
        assertThat(text.toString()).doesNotContain("hush");
    }

    @Test
    void aConnectionIsInATransactionAndWhatIsNotCommittedIsGone() throws SQLException {
        database("acme").execute("CREATE TABLE thing (id INTEGER)");
        PooledTenantConnections pools = pools();

        try (Connection connection = pools.connection("acme")) {
            execute(connection, "INSERT INTO thing VALUES (1)");
            connection.commit();
            execute(connection, "INSERT INTO thing VALUES (2)");
        }

        try (Connection connection = pools.connection("acme")) {
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(count(connection)).isEqualTo(1);
        }
    }

    @Test
    void aConnectionIsUsedAgain() throws SQLException {
        GuardedDatabase database = database("acme");
        PooledTenantConnections pools = pools();

        for (int i = 0; i < 10; i++) {
            use(pools, "acme");
        }

        assertThat(database.logins).hasValue(1);
        assertThat(reads).hasValue(1);
    }

    @Test
    void propertiesReachTheDriver() throws SQLException {
        TenantDatabase plain = database("acme").credentials();
        told.put(
                "acme",
                new TenantDatabase(plain.jdbcUrl(), plain.user(), plain.password(), Map.of("foreign_keys", "true")));

        try (Connection connection = pools().connection("acme");
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery("PRAGMA foreign_keys")) {
            assertThat(answer.getInt(1)).isEqualTo(1);
        }
    }

    @Test
    void manyFirstUsersOfATenantShareOnePoolAndItsConnections() throws Exception {
        GuardedDatabase database = database("acme");
        database.gate = new CountDownLatch(1);
        PooledTenantConnections pools = pools();
        Together<Boolean> users = new Together<>(THREADS, () -> {
                    use(pools, "acme");
                    return true;
                })
                .awaitWaiting();
        database.gate.countDown();

        assertThat(users.results()).hasSize(THREADS);
        assertThat(reads).hasValue(1);
        assertThat(database.logins.get()).isBetween(1, 4);
        assertThat(database.open.get()).isEqualTo(database.logins.get());
    }

    @Test
    void aTenantWhoseDatabaseIsSlowHoldsUpNobodyElse() throws Exception {
        GuardedDatabase slow = database("slow");
        slow.gate = new CountDownLatch(1);
        database("quick");
        PooledTenantConnections pools = pools();
        Together<Boolean> waiting = new Together<>(1, () -> {
            use(pools, "slow");
            return true;
        });
        await().until(() -> slow.waiting.get() == 1);

        use(pools, "quick");
        assertThat(slow.logins).hasValue(0);

        slow.gate.countDown();
        assertThat(waiting.results()).containsExactly(true);
    }

    @Test
    void aTenantWhoseCredentialsAreSlowHoldsUpNobodyElse() throws Exception {
        database("slow");
        database("quick");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        PooledTenantConnections pools = PooledTenantConnections.builder(tenant -> {
                    if (tenant.equals("slow")) {
                        asked.countDown();
                        gate.await();
                    }
                    return read(tenant);
                })
                .build();
        toClose.add(pools);
        Together<Boolean> waiting = new Together<>(1, () -> {
            use(pools, "slow");
            return true;
        });
        asked.await();

        use(pools, "quick");

        gate.countDown();
        assertThat(waiting.results()).containsExactly(true);
    }

    @Test
    void aChangedPasswordIsReadAgain() throws SQLException {
        GuardedDatabase database = database("acme");
        PooledTenantConnections pools = pools();
        try (Connection inUse = pools.connection("acme")) {
            database.password = "hush-2";
            database("acme");

            use(pools, "acme");
            assertThat(inUse.isValid(1)).isTrue();
        }

        assertThat(reads).hasValue(2);
        assertThat(database.refused).hasValue(1);
        assertThat(database.logins).hasValue(2);
    }

    @Test
    void aRefusedLoginIsToldSoonAndTriedOncePerCredentials() {
        GuardedDatabase database = database("acme");
        database.password = "hush-2";
        PooledTenantConnections pools = pools();

        Throwable e = catchThrowable(() -> pools.connection("acme"));

        assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessageContaining(
                        "the database of tenant 'acme' at " + told.get("acme").jdbcUrl()
                                + " refuses the login of user 'app', and credentials that were read again are no better:"
                                + " go away, app");
        assertNoSecret(e);
        assertThat(reads).hasValue(2);
        assertThat(database.refused).as("the same password is not tried twice").hasValue(1);
    }

    @Test
    void otherCredentialsThatAreRefusedTooAreTheEndOfIt() {
        GuardedDatabase database = database("acme");
        database.password = "hush-2";
        PooledTenantConnections pools = PooledTenantConnections.builder(tenant -> {
                    int read = reads.incrementAndGet();
                    return new TenantDatabase(told.get(tenant).jdbcUrl(), "app", "hush-wrong-" + read);
                })
                .clock(clock)
                .build();
        toClose.add(pools);

        assertThatThrownBy(() -> pools.connection("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessageContaining("refuses the login");
        assertThat(reads).hasValue(2);
        assertThat(database.refused).hasValue(2);
    }

    @Test
    void aDatabaseThatRefusesIsLeftAloneForSomeSeconds() throws SQLException {
        GuardedDatabase database = database("acme");
        database.password = "hush-2";
        PooledTenantConnections pools = pools();
        assertThatThrownBy(() -> pools.connection("acme")).isInstanceOf(TenantException.class);
        database("acme");

        clock.advance(Duration.ofMillis(4_999));
        assertThatThrownBy(() -> pools.connection("acme")).hasMessageContaining("refuses the login");
        assertThat(database.refused).hasValue(1);

        clock.advance(Duration.ofMillis(1));
        use(pools, "acme");
    }

    @Test
    void connectionsToADatabaseThatATenantHasLeftAreNotGivenOut() throws SQLException {
        GuardedDatabase before = database("before");
        GuardedDatabase after = database("after");
        told.put("acme", before.credentials());
        PooledTenantConnections pools = pools();
        Connection first = pools.connection("acme");
        Connection second = pools.connection("acme");
        first.close();
        before.password = "hush-gone";
        told.put("acme", after.credentials());

        try (Connection idle = pools.connection("acme");
                Connection moved = pools.connection("acme")) {
            assertThat(after.open).hasValue(1);
            assertThat(moved.isValid(1)).isTrue();
            assertThat(idle.isValid(1)).isTrue();
        }
        second.close();

        await().until(() -> before.open.get() == 0);
        assertThat(after.open).hasValue(1);
    }

    @Test
    void credentialsThatCannotBeReadAreToldSoonAndTriedAgainLater() throws SQLException {
        PooledTenantConnections pools = pools();

        assertThatThrownBy(() -> pools.connection("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessage("the credentials of tenant 'acme' could not be read: nobody knows acme");
        assertThat(reads).hasValue(1);

        database("acme");
        clock.advance(Duration.ofSeconds(5));
        use(pools, "acme");
    }

    @Test
    void aDatabaseThatIsDownIsTriedUntilTheTimeIsUp() {
        database("acme").down = true;
        PooledTenantConnections pools = pools(options -> options.maxWait(SHORT));

        assertThatThrownBy(() -> pools.connection("acme"))
                .isInstanceOf(TenantException.class)
                .hasMessage("no connection to the database of tenant 'acme' within PT2S: nobody listens there");
    }

    @Test
    void aDatabaseThatComesBackIsUsedByThoseWhoWait() throws Exception {
        GuardedDatabase database = database("acme");
        database.down = true;
        PooledTenantConnections pools = pools();
        Together<Boolean> waiting = new Together<>(1, () -> {
                    use(pools, "acme");
                    return true;
                })
                .awaitWaiting();

        database.down = false;

        assertThat(waiting.results()).containsExactly(true);
        assertThat(reads).hasValue(1);
    }

    @Test
    void aDriverThatQuotesThePasswordIsNotQuoted() {
        GuardedDatabase database = database("acme");
        database.password = "hush-2";
        database.quotesThePassword = true;

        Throwable e = catchThrowable(() -> pools().connection("acme"));

        assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessageContaining("the driver's message is left out, because it quotes a secret");
        assertNoSecret(e);
    }

    @Test
    void allConnectionsOfATenantInUseIsAnError() throws SQLException {
        database("acme");
        PooledTenantConnections pools =
                pools(options -> options.connectionsPerTenant(2).maxWait(SHORT));

        try (Connection first = pools.connection("acme");
                Connection second = pools.connection("acme")) {
            assertThatThrownBy(() -> pools.connection("acme"))
                    .isInstanceOf(TenantException.class)
                    .hasMessage("all 2 connections to the database of tenant 'acme' were in use for PT2S;"
                            + " allow more by connectionsPerTenant, or let fewer handlers run at once");
        }

        use(pools, "acme");
    }

    @Test
    void onePoolTooManyClosesTheOneUsedLongestAgo() throws SQLException {
        GuardedDatabase first = database("first");
        GuardedDatabase second = database("second");
        database("third");
        PooledTenantConnections pools = pools(options -> options.maxPools(2));
        use(pools, "first");
        use(pools, "second");
        use(pools, "first");

        use(pools, "third");

        assertThat(pools.tenants()).containsExactlyInAnyOrder("first", "third");
        await().until(() -> second.open.get() == 0);
        assertThat(first.open).hasValue(1);
        use(pools, "second");
        assertThat(reads).as("a closed pool forgets the credentials").hasValue(4);
    }

    @Test
    void aPoolInUseIsNotClosedForAnother() throws SQLException {
        database("first");
        database("second");
        database("third");
        PooledTenantConnections pools = pools(options -> options.maxPools(2));

        try (Connection inUse = pools.connection("first")) {
            use(pools, "second");
            use(pools, "third");

            assertThat(pools.tenants()).containsExactlyInAnyOrder("first", "third");
            assertThat(inUse.isValid(1)).isTrue();
        }
    }

    @Test
    void allPoolsInUseIsAnErrorAfterAWait() throws SQLException {
        database("first");
        database("second");
        PooledTenantConnections pools = pools(options -> options.maxPools(1).maxWait(SHORT));

        try (Connection inUse = pools.connection("first")) {
            assertThatThrownBy(() -> pools.connection("second"))
                    .isInstanceOf(TenantException.class)
                    .hasMessage("no room for a pool for tenant 'second': all 1 pools of other tenants were in use for"
                            + " PT2S; allow more by maxPools, or let fewer handlers run at once");
        }

        use(pools, "second");
    }

    @Test
    void whoWaitsForAPoolGetsTheNextThatIsIdle() throws Exception {
        database("first");
        database("second");
        PooledTenantConnections pools = pools(options -> options.maxPools(1));
        Connection inUse = pools.connection("first");
        Together<Boolean> waiting = new Together<>(1, () -> {
                    use(pools, "second");
                    return true;
                })
                .awaitWaiting();
        assertThat(pools.tenants()).containsExactly("first");

        inUse.close();

        assertThat(waiting.results()).containsExactly(true);
        assertThat(pools.tenants()).containsExactly("second");
    }

    @Test
    void aConnectionThatIsClosedTwiceCountsOnce() throws SQLException {
        database("first");
        database("second");
        PooledTenantConnections pools = pools(options -> options.maxPools(1).maxWait(SHORT));
        Connection twice = pools.connection("first");

        try (Connection other = pools.connection("first")) {
            twice.close();
            twice.close();

            assertThatThrownBy(() -> pools.connection("second")).isInstanceOf(TenantException.class);
            assertThat(other.isValid(1)).isTrue();
        }
    }

    @Test
    void aFailureLeavesNoUserBehind() throws SQLException {
        database("first");
        PooledTenantConnections pools = pools(options -> options.maxPools(1));
        assertThatThrownBy(() -> pools.connection("unknown")).isInstanceOf(TenantException.class);

        use(pools, "first");
    }

    @Test
    void poolsThatNobodyUsesAreClosed() throws SQLException {
        GuardedDatabase idle = database("idle");
        GuardedDatabase used = database("used");
        GuardedDatabase inUse = database("inUse");
        PooledTenantConnections pools = pools();
        Connection held = pools.connection("inUse");
        use(pools, "idle");
        clock.advance(Duration.ofMinutes(5));
        use(pools, "used");

        clock.advance(Duration.ofMinutes(5).minusMillis(1));
        pools.closeIdle();
        assertThat(pools.tenants()).containsExactlyInAnyOrder("idle", "used", "inUse");

        clock.advance(Duration.ofMillis(1));
        pools.closeIdle();
        assertThat(pools.tenants()).containsExactlyInAnyOrder("used", "inUse");
        await().until(() -> idle.open.get() == 0);
        assertThat(used.open).hasValue(1);

        clock.advance(Duration.ofHours(1));
        held.close();
        pools.closeIdle();
        assertThat(pools.tenants()).as("its time begins with its last use").containsExactly("inUse");
        assertThat(inUse.open).hasValue(1);
    }

    @Test
    void poolsThatNobodyUsesAreFoundByThemselves() throws SQLException {
        GuardedDatabase database = database("acme");
        PooledTenantConnections pools = PooledTenantConnections.builder(this::read)
                .idleTimeout(Duration.ofMillis(50))
                .build();
        toClose.add(pools);

        use(pools, "acme");

        await().until(() -> pools.tenants().isEmpty() && database.open.get() == 0);
    }

    @Test
    void whoIsInterruptedStopsWaiting() throws Exception {
        GuardedDatabase slow = database("slow");
        slow.gate = new CountDownLatch(1);
        database("other");
        PooledTenantConnections pools = pools(options -> options.maxPools(1));
        Together<Connection> forConnection = new Together<>(1, () -> pools.connection("slow"));
        await().until(() -> slow.waiting.get() == 1);
        Together<Connection> forPool = new Together<>(1, () -> pools.connection("other")).awaitWaiting();

        forPool.interrupt();
        assertThat(forPool.failures()).singleElement().satisfies(e -> assertThat(e)
                .isInstanceOf(TenantException.class)
                .hasMessageContaining("interrupted"));
        forConnection.interrupt();
        assertThat(forConnection.failures()).singleElement().isInstanceOf(TenantException.class);
    }

    @Test
    void closingClosesAllAndGivesNoMore() throws Exception {
        GuardedDatabase first = database("first");
        GuardedDatabase second = database("second");
        PooledTenantConnections pools = pools();
        use(pools, "first");
        use(pools, "second");

        pools.close();

        assertThat(first.open).hasValue(0);
        assertThat(second.open).hasValue(0);
        assertThatThrownBy(() -> pools.connection("first")).isInstanceOf(ClosedException.class);
        pools.close();
    }

    @Test
    void closingWakesThoseWhoWaitForAPool() throws Exception {
        database("first");
        database("second");
        PooledTenantConnections pools = pools(options -> options.maxPools(1));
        Connection inUse = pools.connection("first");
        Together<Connection> waiting = new Together<>(1, () -> pools.connection("second")).awaitWaiting();

        pools.close();

        assertThat(waiting.failures()).singleElement().isInstanceOf(ClosedException.class);
        inUse.close();
    }

    @Test
    void wrongOptionsAreRefusedAtOnce() {
        PooledTenantConnections.Builder builder = PooledTenantConnections.builder(this::read);

        assertThatThrownBy(() -> builder.connectionsPerTenant(0)).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> builder.maxPools(0)).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> builder.idleTimeout(Duration.ZERO)).isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> builder.maxWait(Duration.ofDays(366))).isInstanceOf(InvalidRequestException.class);
    }

    /** The log of this module's tests goes to a file, with all that the pool writes for debugging. */
    @Test
    void noSecretIsLogged() throws IOException, SQLException {
        GuardedDatabase database = database("acme");
        database.quotesThePassword = true;
        told.put("acme", new TenantDatabase(told.get("acme").jdbcUrl(), "app", "hush-0", Map.of("key", "hush-key")));
        PooledTenantConnections pools = pools();
        assertThatThrownBy(() -> pools.connection("acme")).isInstanceOf(TenantException.class);
        database("acme");
        clock.advance(Duration.ofSeconds(5));
        use(pools, "acme");

        assertThat(pools.toString()).isEqualTo("PooledTenantConnections[acme]");
        Path log = Path.of(System.getProperty("org.slf4j.simpleLogger.logFile"));
        assertThat(Files.readString(log))
                .contains("tenant acme - Start completed", "reading its credentials again")
                .doesNotContain("hush");
    }
}
