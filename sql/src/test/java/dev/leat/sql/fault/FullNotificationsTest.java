package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A listener that never ends its transaction fills the server's queue of notifications; that is no reason to refuse a task. */
class FullNotificationsTest {
    @Test
    void aPutThatCannotTellOfItselfIsAPutAllTheSame() throws SQLException {
        try (PostgresServer server =
                PostgresServer.start(PostgresServer.Version.V18, Map.of("max_notify_queue_pages", "64"))) {
            TestDatabase database = TestDatabase.on(server);
            try (Storage storage = database.open();
                    Connection listener = database.connect();
                    Connection speaker = database.connect()) {
                storage.queues().declare("q", QueueOptions.standard(), QueueInfo.SetBy.CODE);
                Sql.execute(listener, "LISTEN anything", "BEGIN", "SELECT 1");
                await().until(() -> isFull(speaker));

                // The first ones may follow too soon to tell of themselves.
                AtomicLong last = new AtomicLong(put(storage));
                await().until(() -> isPutAgain(storage, last));
            }
        }
    }

    /** Whether a first try has used an id up. */
    private static boolean isPutAgain(Storage storage, AtomicLong last) {
        long id = put(storage);
        return id > last.getAndSet(id) + 1;
    }

    private static long put(Storage storage) {
        long id = storage.put(List.of(NewTask.to("q").build())).get(0).id();
        assertThat(storage.peek(id)).isPresent();
        return id;
    }

    private static boolean isFull(Connection speaker) throws SQLException {
        try {
            Sql.execute(speaker, "SELECT pg_notify('anything', repeat('x', 7000) || n) FROM generate_series(1, 50) n");
            return false;
        } catch (SQLException e) {
            assertThat(e.getMessage()).contains("too many notifications");
            return true;
        }
    }
}
