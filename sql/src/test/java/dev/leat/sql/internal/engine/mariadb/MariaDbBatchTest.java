package dev.leat.sql.internal.engine.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.internal.jdbc.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A deadlock in a batch ends the transaction on the server, after the driver has sent the rest of the batch. */
@Tag("engine")
class MariaDbBatchTest {
    private static final int ROWS = 50;

    private final TestDatabase database = TestDatabase.mariaDb();

    @Test
    void aDeadlockRollsBackTheWholeBatch() throws Exception {
        Dialect dialect = new MariaDbDialect(database::connect, Optional.empty(), MariaDbDialect.Locking.BY_READING);
        try (Connection ours = dialect.connect(Dialect.Access.WRITE);
                Connection theirs = database.connect()) {
            Sql.execute(theirs, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
            Sql.execute(theirs, "INSERT INTO t SELECT seq, 0 FROM seq_1_to_" + ROWS);
            theirs.setAutoCommit(false);
            // Their transaction has written more, so the server rolls back ours.
            Sql.execute(theirs, "UPDATE t SET v = v WHERE id > 10");
            Sql.execute(theirs, "UPDATE t SET v = 7 WHERE id > 10");
            dialect.begin(ours, Dialect.Access.WRITE);
            Sql.execute(ours, "UPDATE t SET v = 1 WHERE id = 1");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> updateFirst(theirs));
            Awaitility.await().until(this::isLockWait);

            assertThatThrownBy(() -> batch(ours)).isInstanceOf(SQLException.class);

            dialect.rollback(ours);
            waiting.get(10, TimeUnit.SECONDS);
            theirs.rollback();
            assertThat(changed(theirs)).isZero();
        }
    }

    /** The other transaction has locked the first row of the batch. */
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
            Sql.execute(connection, "UPDATE t SET v = 7 WHERE id = 1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean isLockWait() throws SQLException {
        return database.number("SELECT count(*) FROM information_schema.innodb_lock_waits") > 0;
    }

    private static long changed(Connection connection) throws SQLException {
        return Sql.number(connection, "SELECT count(*) FROM t WHERE v <> 0");
    }
}
