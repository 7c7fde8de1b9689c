package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Group;
import dev.leat.GroupSpec;
import dev.leat.sql.Sql;
import dev.leat.sql.SqlDocs;
import dev.leat.sql.TestDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * A plain INSERT is a put, made by somebody who knows nothing of Leat. Covers N6, N12, rule 2, 6, 23, 24, 28, 32.
 *
 * <p>There is one database for all tests of a class, each with a queue of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PlainInsertContract {
    PlainInserter inserter;

    abstract TestDatabase newDatabase();

    /** An insert of the queue and the address that does nothing when the address is taken. */
    abstract String insertUnlessTaken();

    /** Whether the documentation means this database when it names some. */
    abstract boolean isNamedIn(String comment);

    @BeforeAll
    void open() throws SQLException {
        inserter = new PlainInserter(newDatabase());
    }

    @AfterAll
    void close() throws SQLException {
        inserter.close();
    }

    @Nested
    class Arrivals extends PlainInsertArrivalContract {
        @Override
        PlainInserter inserter() {
            return inserter;
        }
    }

    @Nested
    class Gates extends PlainInsertGateContract {
        @Override
        PlainInserter inserter() {
            return inserter;
        }

        @Override
        String insertUnlessTaken() {
            return PlainInsertContract.this.insertUnlessTaken();
        }
    }

    @Nested
    class Commits extends PlainInsertCommitContract {
        @Override
        PlainInserter inserter() {
            return inserter;
        }
    }

    @Nested
    class Refusals extends PlainInsertRefusalContract {
        @Override
        PlainInserter inserter() {
            return inserter;
        }
    }

    @Nested
    class Topics extends PlainInsertTopicContract {
        @Override
        PlainInserter inserter() {
            return inserter;
        }
    }

    @Nested
    class Documentation extends PlainInsertTest {
        @Override
        PlainInserter inserter() {
            return inserter;
        }

        @Test
        void theStatementsOfTheDocumentationWork() throws SQLException, IOException {
            Group group = leat.createGroup(GroupSpec.named("import"));
            List<String> statements = SqlDocs.statements(SqlDocs.PLAIN_SQL).stream()
                    .filter(this::isForThisDatabase)
                    .toList();
            assertThat(statements).hasSizeGreaterThan(3);

            for (String sql : statements) {
                Sql.execute(connection, sql);
            }

            assertThat(leat.queue("emails").stats().live()).isGreaterThanOrEqualTo(statements.size());
            group.cancel("done");
        }

        /** A statement whose first line is a comment is for the databases that it names. */
        private boolean isForThisDatabase(String sql) {
            return !sql.startsWith("-- ") || isNamedIn(sql.lines().findFirst().orElseThrow());
        }
    }
}
