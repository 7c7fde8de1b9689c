package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.sql.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The same on servers, which know SHA-256 and users. */
abstract class ServerPlainInsertContract extends PlainInsertContract {
    /** Makes a user who may log in, and nothing else. */
    abstract void create(String user) throws SQLException;

    @Nested
    class Others extends PlainInsertTest {
        @Override
        PlainInserter inserter() {
            return inserter;
        }

        @Test
        void whatIsCommittedLateIsTakenAllTheSame() throws Exception {
            connection.setAutoCommit(false);
            long late = insert("text", "late");
            for (int i = 0; i < 3; i++) {
                leat.put(q, "early");
                leat.ack(leat.take(q).orElseThrow());
            }

            connection.commit();

            assertThat(leat.take(TakeRequest.from(q), Duration.ofSeconds(20)))
                    .extracting(TakenTask::id)
                    .containsExactly(late);
        }

        @Test
        void theRightToInsertIsEnough() throws SQLException {
            TestDatabase database = inserter.database;
            String clerk = "clerk_of_" + database.name();
            create(clerk);
            database.execute("GRANT INSERT ON leat_task TO " + clerk);

            database.as(clerk)
                    .execute("INSERT INTO leat_task (queue, text) VALUES ('" + q + "', 'x'), ('" + q + "-new', 'y')");

            assertThat(takeIds(9)).hasSize(1);
        }

        @Test
        void equivalentTasksAreFound() throws SQLException {
            NewTask put = NewTask.to(q).externalKey("doc 1").payload("x").build();

            long id = insert("external_key", "doc 1", "text", "x");

            assertThat(peek(id).payloadHash())
                    .isEqualTo(peek(leat.put(put).id()).payloadHash());
        }
    }
}
