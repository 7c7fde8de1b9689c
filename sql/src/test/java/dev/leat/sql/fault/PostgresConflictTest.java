package dev.leat.sql.fault;

import dev.leat.sql.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;

class PostgresConflictTest extends ConflictContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgres();
    }

    /** A sequence counts on when its transaction is rolled back. */
    @Override
    void refuseTwice(String change) throws SQLException {
        database.execute(
                "CREATE SEQUENCE refusals",
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  IF (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM refusals) < 2 THEN
                    RAISE EXCEPTION 'not now, no. %', nextval('refusals')
                      USING ERRCODE = (ARRAY['40001', '40P01'])[lastval()];
                  END IF;
                  RETURN NULL;
                END $$
                """,
                "CREATE TRIGGER refuse AFTER " + change + " ON leat_task EXECUTE FUNCTION refuse()");
    }

    @Override
    int refusals() throws SQLException {
        return (int) database.number("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM refusals");
    }

    /** Who looks for a deadlock finds it, and is the one to go. */
    @Override
    void preferToLive(Statement other) throws SQLException {
        other.execute("SET deadlock_timeout = '1min'");
    }

    @Override
    boolean isAnybodyWaiting() throws SQLException {
        return database.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0;
    }
}
