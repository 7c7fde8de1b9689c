package dev.leat.sql.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Sweep;
import dev.leat.testkit.ManualClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** rule 20: on PostgreSQL finished tasks go a day at a time, with the partition of the day on which they are purged. */
class PostgresPartitionsTest {
    private static final String Q = "q";
    private static final Duration DAY = Duration.ofDays(1);

    private final TestDatabase database = TestDatabase.postgres();
    /** Noon of 2026-03-10. */
    private final ManualClock clock = new ManualClock();

    private Storage storage;

    @BeforeEach
    void open() {
        storage = database.open(StorageSettings.at(clock));
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private void queueThatKeeps(Duration time) {
        storage.queues()
                .create(Q, QueueOptions.builder().retention(Retention.all(time)).build());
    }

    /** So many as it takes to come to an end. */
    private void sweep() {
        boolean isMore = true;
        while (isMore) {
            isMore = storage.sweep(Sweep.everything())
                    .nextIn()
                    .filter(Duration.ZERO::equals)
                    .isPresent();
        }
    }

    private TakenTask put() {
        storage.put(List.of(NewTask.to(Q).build()));
        return take();
    }

    private TakenTask take() {
        return storage.take(TakeRequest.from(Q)).get(0);
    }

    private long finishOne() {
        return finish(put());
    }

    private long finish(TakenTask task) {
        storage.settle(List.of(Settle.ack(task.lease())));
        return task.task().id();
    }

    private long finishAtTheSecondAttempt() {
        storage.settle(List.of(Settle.retry(put().lease(), When.now(), "not yet")));
        return finish(take());
    }

    private List<String> partitions() throws SQLException {
        try (Connection connection = database.connect()) {
            return Sql.texts(
                    connection,
                    "SELECT right(relname, -14) FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid"
                            + " WHERE inhparent = 'leat_finished'::regclass ORDER BY relname");
        }
    }

    private List<String> partitionsWithTasks() throws SQLException {
        try (Connection connection = database.connect()) {
            return Sql.texts(
                    connection, "SELECT right(tableoid::regclass::text, -14) FROM leat_finished GROUP BY 1 ORDER BY 1");
        }
    }

    private long attempts() throws SQLException {
        try (Connection connection = database.connect()) {
            return Sql.number(connection, "SELECT count(*) FROM leat_attempt");
        }
    }

    @Test
    void theDaysOnWhichTasksWillBePurgedGetPartitionsAhead() throws SQLException {
        queueThatKeeps(DAY.multipliedBy(2));

        assertThat(partitions())
                .containsExactly("day_20260312", "day_20260313", "day_20260314", "day_20260315", "rest");
        finishOne();
        clock.advance(DAY);
        finishOne();
        assertThat(partitionsWithTasks()).containsExactly("day_20260312", "day_20260313");
        sweep();
        assertThat(partitions()).contains("day_20260316").doesNotContain("day_20260317");
    }

    @Test
    void aDayThatIsOverGoesWithItsTasksAndTheirAttempts() throws SQLException {
        queueThatKeeps(DAY);
        long retried = finishAtTheSecondAttempt();
        clock.advance(DAY);
        long kept = finishAtTheSecondAttempt();
        assertThat(attempts()).isEqualTo(2);

        clock.advance(Duration.ofHours(12)); // the day is over, but its tasks may have been settled just now
        sweep();
        assertThat(partitionsWithTasks()).containsExactly("day_20260311", "day_20260312");
        clock.advance(Duration.ofMinutes(10));
        sweep();

        assertThat(partitions()).doesNotContain("day_20260311");
        assertThat(partitionsWithTasks()).containsExactly("day_20260312");
        assertThat(storage.peek(retried)).isEmpty();
        assertThat(storage.peek(kept)).isPresent();
        assertThat(storage.attempts(kept)).hasSize(1);
        assertThat(attempts()).isEqualTo(1);
    }

    @Test
    void theAttemptsOfTasksThatAreForgottenAtOnceGoToo() throws SQLException {
        queueThatKeeps(Duration.ZERO);
        finishAtTheSecondAttempt();

        clock.advance(DAY.plusHours(1));
        sweep();

        assertThat(attempts()).isZero();
    }

    @Test
    void whatWasFinishedBeforeItsDayHadAPartitionIsMovedThere() throws SQLException {
        long early;
        try (Connection reader = database.connect()) {
            reader.setAutoCommit(false);
            assertThat(Sql.number(reader, "SELECT count(*) FROM leat_finished")).isZero();
            queueThatKeeps(DAY);
            early = finishOne();
            assertThat(partitionsWithTasks()).containsExactly("rest");
        }

        sweep();

        assertThat(partitionsWithTasks()).containsExactly("day_20260311");
        assertThat(storage.peek(early)).isPresent();
    }

    @Test
    void anAckThatWaitsWhileItsDayGetsAPartitionIsWrittenThere() throws Exception {
        queueThatKeeps(DAY.multipliedBy(100));
        TakenTask task = put();
        ExecutorService acker = Executors.newSingleThreadExecutor();
        try (Connection maker = database.connect()) {
            maker.setAutoCommit(false);
            Sql.execute(maker, "LOCK TABLE leat_finished_rest IN ACCESS EXCLUSIVE MODE");
            Future<Long> acked = acker.submit(() -> finish(task));
            await().until(this::isAnybodyWaitingForTheRest);

            long from = ChronoUnit.MICROS.between(
                    Instant.EPOCH, clock.instant().plus(DAY.multipliedBy(100)).truncatedTo(ChronoUnit.DAYS));
            Sql.execute(
                    maker,
                    "CREATE TABLE leat_finished_day_20260618 (LIKE leat_finished INCLUDING ALL)",
                    "ALTER TABLE leat_finished ATTACH PARTITION leat_finished_day_20260618 FOR VALUES FROM (" + from
                            + ") TO (" + (from + ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(DAY)))
                            + ")");
            maker.commit();

            assertThat(acked.get()).isEqualTo(task.task().id());
        } finally {
            acker.shutdown();
        }
        assertThat(partitionsWithTasks()).containsExactly("day_20260618");
    }

    private boolean isAnybodyWaitingForTheRest() throws SQLException {
        try (Connection connection = database.connect()) {
            return Sql.number(
                            connection,
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'leat_finished_rest'::regclass")
                    > 0;
        }
    }

    @Test
    void whatIsKeptForVeryLongIsAmongTheRestAndGoesOneByOne() throws SQLException {
        queueThatKeeps(DAY.multipliedBy(365));
        finishAtTheSecondAttempt();
        assertThat(partitions()).containsExactly("rest");
        assertThat(storage.queues().stats(Q).count(TaskState.DONE)).isEqualTo(1);

        clock.advance(DAY.multipliedBy(365).plusMinutes(1));
        sweep();

        assertThat(partitionsWithTasks()).isEmpty();
        assertThat(attempts()).isZero();
    }

    @Test
    void aReaderWhoTakesHisTimeIsNotDisturbedAndKeepsNobodyWaiting() throws SQLException {
        queueThatKeeps(DAY);
        finishOne();
        clock.advance(DAY.multipliedBy(2));
        try (Connection reader = database.connect()) {
            reader.setAutoCommit(false);
            assertThat(Sql.number(reader, "SELECT count(*) FROM leat_finished")).isEqualTo(1);

            sweep();

            assertThat(partitions()).contains("day_20260311");
            finishOne();
            assertThat(Sql.number(reader, "SELECT count(*) FROM leat_finished")).isEqualTo(2);
        }
        clock.advance(Duration.ofMinutes(2));
        sweep();
        assertThat(partitions()).doesNotContain("day_20260311");
    }

    @Test
    void whoMayNotChangeTheTablesPurgesTaskByTask() throws SQLException {
        queueThatKeeps(DAY);
        database.execute(
                "DO $$ BEGIN CREATE ROLE writer LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO writer",
                "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO writer");
        storage.close();
        storage = database.as("writer").with("migrate=false").open(StorageSettings.at(clock));
        List<String> before = partitions();

        finishAtTheSecondAttempt();
        clock.advance(DAY.multipliedBy(5));
        finishAtTheSecondAttempt();
        assertThat(partitionsWithTasks()).containsExactly("day_20260311", "rest");
        clock.advance(DAY.multipliedBy(2));
        sweep();

        assertThat(partitions()).isEqualTo(before);
        assertThat(partitionsWithTasks()).isEmpty();
        assertThat(attempts()).isZero();
    }

    @Test
    void twoProcessesMakeAndDropThemAtTheSameTime() throws Exception {
        try (Storage neighbour = database.open(StorageSettings.at(clock))) {
            ExecutorService threads = Executors.newFixedThreadPool(2);
            for (int day = 0; day < 10; day++) {
                QueueOptions options = QueueOptions.builder()
                        .retention(Retention.all(DAY.multipliedBy(day)))
                        .build();
                String queue = "of-day-" + day;
                List<Callable<Object>> both = List.of(
                        () -> storage.queues().declare(queue, options, QueueInfo.SetBy.OPERATOR),
                        () -> neighbour.queues().declare(queue, options, QueueInfo.SetBy.OPERATOR));
                for (Future<Object> done : threads.invokeAll(both)) {
                    done.get();
                }
                clock.advance(DAY);
                List<Callable<Object>> sweeps =
                        List.of(() -> storage.sweep(Sweep.everything()), () -> neighbour.sweep(Sweep.everything()));
                for (Future<Object> done : threads.invokeAll(sweeps)) {
                    done.get();
                }
            }
            threads.shutdown();
        }
        assertThat(partitions()).contains("day_20260320", "day_20260401").doesNotContain("day_20260318");
    }

    @Test
    void theyAreWhereTheOtherTablesAre() throws SQLException {
        try (Storage elsewhere = database.with("schema=jobs").with("prefix=my_").open(StorageSettings.at(clock))) {
            elsewhere.queues().create(Q, QueueOptions.standard());
            clock.advance(DAY.multipliedBy(2));
            elsewhere.sweep(Sweep.everything());
        }
        try (Connection connection = database.connect()) {
            assertThat(Sql.texts(
                            connection,
                            "SELECT inhrelid::regclass::text FROM pg_inherits"
                                    + " WHERE inhparent = 'jobs.my_finished'::regclass ORDER BY 1"))
                    .contains("jobs.my_finished_day_20260314")
                    .doesNotContain("jobs.my_finished_day_20260311");
        }
    }
}
