package dev.leat.sql.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.testkit.server.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A deadlock in the middle of a batch ends the transaction on the server, while the driver has sent the rest of it already. */
class MariaDbBatchTest {
    private static final int ROWS = 50;

    private final String url = MariaDbServer.shared().newDatabase();

    @Test
    void nothingOfABatchIsKeptWhenADeadlockBreaksIt() throws Exception {
        Dialect dialect = new MariaDbDialect(
                () -> DriverManager.getConnection(url), Optional.empty(), MariaDbDialect.Locking.BY_READING);
        try (Connection ours = dialect.connect(Dialect.Access.WRITE);
                Connection theirs = DriverManager.getConnection(url)) {
            execute(theirs, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
            execute(theirs, "INSERT INTO t SELECT seq, 0 FROM seq_1_to_" + ROWS);
            theirs.setAutoCommit(false);
            // They have written more, so that we are the one who is sacrificed.
            execute(theirs, "UPDATE t SET v = v WHERE id > 10");
            execute(theirs, "UPDATE t SET v = 7 WHERE id > 10");
            dialect.begin(ours);
            execute(ours, "UPDATE t SET v = 1 WHERE id = 1");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> updateFirst(theirs));
            Awaitility.await().until(this::somebodyWaits);

            assertThatThrownBy(() -> batch(ours)).isInstanceOf(SQLException.class);

            dialect.rollback(ours);
            waiting.get(10, TimeUnit.SECONDS);
            theirs.rollback();
            assertThat(changed(theirs)).isZero();
        }
    }

    /** The first row of it is theirs, the others anybody's. */
    private static void batch(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("UPDATE t SET v = 1 WHERE id = ?")) {
            for (int id : IntStream.concat(IntStream.of(11), IntStream.rangeClosed(2, 9))
                    .toArray()) {
                statement.setInt(1, id);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private static void updateFirst(Connection connection) {
        try {
            execute(connection, "UPDATE t SET v = 7 WHERE id = 1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean somebodyWaits() throws SQLException {
        return count("SELECT count(*) FROM information_schema.innodb_lock_waits") > 0;
    }

    private static int changed(Connection connection) throws SQLException {
        return count(connection, "SELECT count(*) FROM t WHERE v <> 0");
    }

    private int count(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return count(connection, sql);
        }
    }

    private static int count(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
