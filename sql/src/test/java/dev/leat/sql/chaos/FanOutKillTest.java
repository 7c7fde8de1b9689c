package dev.leat.sql.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.process.ChildJvm;
import dev.leat.storagetests.TestLength;
import dev.leat.topic.Subscription;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed while they put the copies of publications leave all copies of each, or none.
 *
 * <p>{@code -Dleat.fanout.kills=100} kills more of them.
 */
class FanOutKillTest {
    private static final int KILLS = TestLength.of("leat.fanout.kills", 2, 20);
    private static final int SUBSCRIPTIONS = 300;
    private static final int PUBLICATIONS = 100 * KILLS;
    private static final int LONGEST_MILLIS = 150;

    @TempDir
    Path folder;

    private static Leat open(String url) {
        return Leat.builder(url)
                .heartbeat(Duration.ofMillis(100), Duration.ofSeconds(1))
                .open();
    }

    /** Puts copies until it is killed, and says so after the first ones. */
    static final class Victim {
        public static void main(String[] args) throws InterruptedException {
            Leat leat = open(args[0]);
            leat.onTaskChange(event -> {
                if (event.kind() == TaskEvent.Kind.ACK) {
                    System.out.println("begun");
                }
            });
            leat.worker().publications("topic").concurrency(2).start();
            Thread.currentThread().join();
        }
    }

    @Test
    void onSqlite() throws Exception { // N36
        assertAllOrNone(TestDatabase.sqlite(folder));
    }

    @Test
    void onPostgres() throws Exception { // N36
        assertAllOrNone(TestDatabase.postgres());
    }

    @Test
    @Tag("engine")
    void onMariaDb() throws Exception { // N36
        assertAllOrNone(TestDatabase.mariaDb());
    }

    private static void assertAllOrNone(TestDatabase database) throws Exception {
        try (Leat leat = open(database.leatUrl())) {
            leat.queue("topic").ensure();
            for (int i = 0; i < SUBSCRIPTIONS; i++) {
                leat.subscriptions().put(Subscription.to("topic", "s" + i).queue("copies"));
            }
            leat.putAll(IntStream.range(0, PUBLICATIONS)
                    .mapToObj(i -> NewTask.to("topic").publication().build())
                    .toList());
            for (int i = 0; i < KILLS; i++) {
                Process victim = ChildJvm.start(Victim.class, database.leatUrl());
                assertThat(ChildJvm.firstLineOf(victim)).isEqualTo("begun");
                TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(LONGEST_MILLIS)); // any moment will do
                victim.destroyForcibly().waitFor();
                assertThat(partly(database)).as("after %d kills", i + 1).isEmpty();
            }
            long fanned = count(
                    database, "SELECT count(DISTINCT publication_id) FROM leat_task WHERE subscriber IS NOT NULL");
            assertThat(fanned).as("publications with copies").isPositive();
            assertThat(count(database, "SELECT count(*) FROM leat_finished WHERE publication_id = 0"))
                    .isEqualTo(fanned);
            long left =
                    leat.list(TaskQuery.of("topic").limit(TaskQuery.MAX_LIMIT)).size();
            assertThat(left).isEqualTo(PUBLICATIONS - fanned);
        }
    }

    /** Publications that some subscriptions have a copy of, and others do not. */
    private static List<String> partly(TestDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            return Sql.texts(
                    connection,
                    "SELECT publication_id FROM leat_task WHERE subscriber IS NOT NULL"
                            + " GROUP BY publication_id HAVING count(*) <> " + SUBSCRIPTIONS);
        }
    }

    private static long count(TestDatabase database, String query) throws Exception {
        return database.number(query);
    }
}
