package dev.leat.sql.fault;

import dev.leat.sql.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbConflictTest extends ConflictContract {
    private static final int HEAVY = 100;

    @Override
    TestDatabase newDatabase() {
        return TestDatabase.mariaDb();
    }

    /** A table that knows no transactions counts on when one is rolled back. */
    @Override
    void refuseTwice(String change) throws SQLException {
        database.execute(
                "CREATE TABLE refusals (n INT) ENGINE = Aria TRANSACTIONAL = 0",
                "INSERT INTO refusals VALUES (0)",
                "CREATE TRIGGER refuse AFTER " + change + " ON leat_task FOR EACH ROW BEGIN"
                        + " IF (SELECT n FROM refusals) = 0 THEN UPDATE refusals SET n = 1;"
                        + " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'not now'; END IF;"
                        + " IF (SELECT n FROM refusals) = 1 THEN UPDATE refusals SET n = 2;"
                        + " SIGNAL SQLSTATE '40001' SET MESSAGE_TEXT = 'not now'; END IF; END");
    }

    @Override
    int refusals() throws SQLException {
        return (int) database.number("SELECT n FROM refusals");
    }

    /** InnoDB ends the transaction that has changed less. */
    @Override
    void preferToLive(Statement other) throws SQLException {
        other.execute("CREATE TABLE heavy (n INT) ENGINE = InnoDB");
        for (int i = 0; i < HEAVY; i++) {
            other.execute("INSERT INTO heavy VALUES (" + i + ")");
        }
    }

    @Override
    boolean isAnybodyWaiting() throws SQLException {
        return database.number("SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") > 0;
    }
}
