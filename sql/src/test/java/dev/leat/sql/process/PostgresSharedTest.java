package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class PostgresSharedTest extends ToldStorageContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgres();
    }

    @Test
    void aTaskThatIsPutAloneIsToldOfByItsOwnCommit() throws SQLException {
        try (Channel channel = new Channel(database)) {
            // The first ones may follow too soon after the queue was made.
            await().untilAsserted(() -> {
                String words = "fresh " + Q + " 0 " + put(here);
                assertThat(channel.heardUntil(words))
                        .last()
                        .extracting(Channel.Message::statement, InstanceOfAssertFactories.STRING)
                        .contains("INSERT INTO");
                here.queues().pause(Q); // which the notifier tells, after all that it had to tell before
                here.queues().resume(Q);
                assertThat(channel.heardUntil("paused " + Q))
                        .extracting(Channel.Message::words)
                        .doesNotContain(words);
            });
        }
    }

    /** NOTIFY lets commits happen one after the other: it is for tasks that somebody may wait for at an address (rule 32). */
    @Test
    void theEndOfAPlainTaskIsToldToNobody() throws SQLException {
        long plain = put(here);
        TakenTask taken = here.take(TakeRequest.from(Q)).get(0);
        here.put(List.of(NewTask.to(Q).address("a").build()));
        TakenTask addressed = here.take(TakeRequest.from(Q)).get(0);
        there.statuses(Set.of(plain, addressed.id()));
        try (Channel channel = new Channel(database)) {
            here.settle(List.of(Settle.ack(taken.lease())));
            here.settle(List.of(Settle.ack(addressed.lease())));

            assertThat(channel.heardUntil("task " + addressed.id()))
                    .extracting(Channel.Message::words)
                    .doesNotContain("task " + plain);
        }
    }

    @Test
    void whatIsToldTwiceAtOnceNamesTheSameQueue() throws SQLException {
        try (Channel channel = new Channel(database)) {
            IntStream.range(0, 400).parallel().forEach(i -> here.queues().resume(Q));
            here.queues().pause(Q);

            assertThat(channel.heardUntil("paused " + Q))
                    .extracting(Channel.Message::words)
                    .filteredOn(words -> words.startsWith("ready"))
                    .isNotEmpty()
                    .containsOnly("ready " + Q);
        }
    }

    /** Channels have names of 63 bytes at most, and these differ only after that. */
    @Test
    void tablesWithLongNamesHaveAChannelOfTheirOwn() { // R41
        String schema = "schema=" + "s".repeat(40);
        TestDatabase one = database.with(schema).with("prefix=" + "p".repeat(39) + "1");
        TestDatabase two = database.with(schema).with("prefix=" + "p".repeat(39) + "2");
        try (Storage here = one.open();
                Storage there = one.open()) {
            here.queues().create("heard", QueueOptions.standard());
            Collection<Notice> heard = new ConcurrentLinkedQueue<>();
            try (Registration listening = there.signal().listen(heard::add)) {
                try (Storage elsewhere = two.open()) { // whose close returns when all is told
                    elsewhere.queues().create("unheard", QueueOptions.standard());
                    elsewhere.put(List.of(NewTask.to("unheard").build()));
                }
                here.put(List.of(NewTask.to("heard").build()));

                await().until(() -> heard.contains(new Notice.Ready("heard")));
            }
            assertThat(heard).doesNotContain(new Notice.Ready("unheard"));
        }
    }

    @Test
    void aListenerWhoseConnectionBreaksListensAgain() throws SQLException { // R42
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = there.signal().listen(heard::add);
                Connection connection = database.connect()) {
            String listener = Sql.text(
                    connection,
                    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'");
            Sql.execute(connection, "SELECT pg_terminate_backend(" + listener + ")");
            await().until(() ->
                    Sql.number(connection, "SELECT count(*) FROM pg_stat_activity WHERE pid = " + listener) == 0);

            await().until(() -> {
                put(here);
                return heard.contains(new Notice.Ready(Q));
            });
        }
    }

    @Test
    void aCallersTaskThatIsDueLaterIsToldOfByHisCommitToThoseWhoWait() throws SQLException {
        there.sessions().heartbeat(there.sessions().open(SessionSpec.named("sleeper")), Map.of(Q, 1));
        try (Channel channel = new Channel(database);
                Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            NewTask later = NewTask.to(Q).delay(Duration.ofMillis(300)).build();
            here.with(connection).put(List.of(later, later));
            assertThat(channel.heard()).doesNotContain("- timer");

            connection.commit();

            assertThat(channel.heard()).containsOnlyOnce("- timer");
        }
    }
}
