package dev.leat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.storagetests.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** N47, with a PostgreSQL that breaks connections. */
class HaltChannelTest {
    private final String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
    private final AtomicInteger halts = new AtomicInteger();
    private final HaltChannel channel = new HaltChannel(url, "Emails-1");
    private Connection connection;

    @BeforeEach
    void listen() throws SQLException {
        connection = DriverManager.getConnection(url);
        channel.listen(halts::incrementAndGet);
    }

    @AfterEach
    void close() throws SQLException {
        channel.close();
        connection.close();
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The processes of the server that have been told to listen and wait for something to tell. */
    private Set<Integer> listeners() throws SQLException {
        Set<Integer> listeners = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'leat-halt'"
                                + " AND state = 'idle' AND query LIKE '%emails-1%'")) {
            while (rows.next()) {
                listeners.add(rows.getInt(1));
            }
        }
        return listeners;
    }

    /** What is told is heard at the latest with the answer to the next LISTEN, and thought of before the one after that. */
    private void awaitTwoMoreLooks(int listener) throws SQLException {
        for (int i = 0; i < 2; i++) {
            String now = text("SELECT clock_timestamp()::text");
            await().until(() -> text("SELECT count(*)::text FROM pg_stat_activity WHERE pid = " + listener
                            + " AND query_start > '" + now + "'")
                    .equals("1"));
        }
    }

    private String text(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private int awaitListener() {
        return await().until(this::listeners, found -> found.size() == 1)
                .iterator()
                .next();
    }

    @Test
    void nothingElseIsAHaltAndABrokenConnectionIsMadeAnew() throws SQLException { // N47
        int first = awaitListener();
        execute("NOTIFY \"Emails-1\"");
        execute("NOTIFY \"Emails-1\", 'halt'");
        execute("NOTIFY other, 'HALT'");
        awaitTwoMoreLooks(first);
        assertThat(halts).hasValue(0);

        execute("SELECT pg_terminate_backend(" + first + ")");
        await().until(() -> !listeners().isEmpty() && !listeners().contains(first));
        execute("NOTIFY \"Emails-1\", 'HALT'");
        await().until(() -> halts.get() == 1);
    }

    @Test
    void aNameWithoutQuotesIsHeardAsSqlUnderstandsIt() throws SQLException {
        awaitListener();

        execute("NOTIFY \"emails-1\", 'HALT'");

        await().until(() -> halts.get() == 1);
    }

    @Test
    void whoIsClosedListensNoMore() {
        awaitListener();

        channel.close();

        await().until(() -> listeners().isEmpty());
        assertThat(halts).hasValue(0);
    }
}
