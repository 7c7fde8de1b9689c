package dev.leat.sql.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.PurgeOptions;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Sweep;
import dev.leat.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How finished tasks go, row by row: in short turns, by one process of all, no more than a share, at chosen minutes. Covers N43, N44. */
class PurgeTest {
    /** So long that no database has a partition for the day. */
    private static final Duration KEPT = Duration.ofDays(100);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    abstract static class Contract {
        private final ManualClock clock = new ManualClock(Instant.parse("2026-03-10T12:00:00Z"));
        private TestDatabase database;
        private Storage here;
        private Storage there;

        abstract TestDatabase newDatabase();

        @BeforeEach
        void open() {
            database = newDatabase();
            here = open(PurgeOptions.standard());
            there = open(PurgeOptions.standard());
        }

        private Storage open(PurgeOptions purge) {
            return database.open(StorageSettings.at(clock).purge(purge));
        }

        @AfterEach
        void close() {
            there.close();
            here.close();
        }

        private void createQueue(String queue) {
            here.queues()
                    .create(
                            queue,
                            QueueOptions.builder()
                                    .retention(Retention.all(KEPT))
                                    .build());
        }

        private void finish(String queue, int count) {
            here.put(Collections.nCopies(count, NewTask.to(queue).build()));
            List<TakenTask> taken = here.take(TakeRequest.from(queue).count(count));
            here.settle(
                    taken.stream().<Settle>map(task -> Settle.ack(task.lease())).toList());
        }

        /** Finished just long enough ago; nobody has looked for a day. */
        private void finishToBePurged(int count) {
            createQueue("q");
            finish("q", count);
            clock.advance(KEPT);
        }

        private static Sweep sweepOf(int limit) {
            return new Sweep(Sweep.Sessions.SPARE, limit);
        }

        private static long purged(Storage storage) {
            return storage.sweep(sweepOf(1_000)).purged();
        }

        private static long purgedNow(Storage storage) {
            return storage.sweep(new Sweep(Sweep.Sessions.SPARE, 1_000, Sweep.Purge.NOW))
                    .purged();
        }

        private static boolean isMore(Sweep.Result result) {
            return result.nextIn().filter(Duration.ZERO::equals).isPresent();
        }

        @Test
        void aSweepRemovesABlockAndTheNextGoesOn() { // N43
            finishToBePurged(5);

            Sweep.Result first = here.sweep(sweepOf(2));
            Sweep.Result second = here.sweep(sweepOf(2));
            Sweep.Result third = here.sweep(sweepOf(2));

            assertThat(List.of(first.purged(), second.purged(), third.purged())).containsExactly(2L, 2L, 1L);
            assertThat(List.of(isMore(first), isMore(second), isMore(third))).containsExactly(true, true, false);
        }

        @Test
        void aBlockIsOfAllQueuesTogether() {
            for (String queue : List.of("a", "b", "c")) {
                createQueue(queue);
                finish(queue, 2);
            }
            clock.advance(KEPT);

            assertThat(here.sweep(sweepOf(4)).purged()).isEqualTo(4);
            assertThat(here.sweep(sweepOf(4)).purged()).isEqualTo(2);
        }

        @Test
        void aRunRemovesNoMoreThanItsShare() { // N43
            finishToBePurged(5);
            try (Storage capped = open(PurgeOptions.standard().mostPerRun(3))) {
                Sweep.Result first = capped.sweep(sweepOf(2));
                Sweep.Result second = capped.sweep(sweepOf(2));
                assertThat(List.of(first.purged(), second.purged())).containsExactly(2L, 1L);
                assertThat(isMore(second)).isFalse();
                assertThat(purged(capped)).isZero();

                clock.advance(MINUTE);

                assertThat(purged(capped)).isEqualTo(2);
            }
        }

        @Test
        void whatIsDueDoesNotWaitForTheEndOfARun() {
            finishToBePurged(5);
            here.put(List.of(NewTask.to("q").delay(MINUTE).build()));
            assertThat(isMore(here.sweep(sweepOf(1)))).isTrue();

            clock.advance(MINUTE);

            assertThat(here.sweep(sweepOf(1)).events()).hasSize(1);
        }

        @Test
        void oneProcessOfAllPurgesInAMinute() { // N44
            createQueue("q");
            finish("q", 1);
            clock.advance(Duration.ofSeconds(20));
            finish("q", 1);
            clock.advance(KEPT.minusSeconds(20));
            assertThat(purged(here)).isOne();
            clock.advance(Duration.ofSeconds(20));

            assertThat(purged(there)).isZero();
            assertThat(purged(here)).isZero();
            clock.advance(Duration.ofSeconds(40));
            assertThat(purged(here) + purged(there)).isOne();
        }

        @Test
        void whoAsksForItNeedNotWaitForTheNextMinute() {
            createQueue("q");
            finish("q", 1);
            clock.advance(Duration.ofSeconds(20));
            finish("q", 1);
            clock.advance(KEPT.minusSeconds(20));
            assertThat(purged(here)).isOne();
            clock.advance(Duration.ofSeconds(20));

            assertThat(purgedNow(there)).isOne();
        }

        @Test
        void nobodyGetsInTheWayOfARun() {
            finishToBePurged(3);
            here.sweep(sweepOf(1));

            assertThat(purgedNow(there)).isZero();
            assertThat(purged(here)).isEqualTo(2);
        }

        @Test
        void theRunOfAProcessThatDiedIsTakenOver() {
            finishToBePurged(3);
            here.sweep(sweepOf(1));

            clock.advance(MINUTE);

            assertThat(there.sweep(sweepOf(1)).purged()).isOne();
            assertThat(purged(here)).as("which has lost it").isZero();
            assertThat(purged(there)).isOne();
        }

        @Test
        void aRunBeginsOnlyInTheMinutesThatAreNamed() { // N44
            finishToBePurged(1);
            try (Storage choosy = open(PurgeOptions.standard().minutes(5, 30))) {
                assertThat(purged(choosy)).as("at :00").isZero();
                clock.advance(MINUTE.multipliedBy(4));
                assertThat(purged(choosy)).as("at :04").isZero();
                clock.advance(MINUTE);
                assertThat(purged(choosy)).as("at :05").isOne();
            }
        }

        @Test
        void whoAsksForItNeedNotWaitForTheMinute() {
            finishToBePurged(1);
            try (Storage choosy = open(PurgeOptions.standard().minutes(5))) {
                assertThat(purgedNow(choosy)).isOne();
            }
        }
    }

    @Nested
    class OnSqlite extends Contract {
        @TempDir
        Path folder;

        @Override
        TestDatabase newDatabase() {
            return TestDatabase.sqlite(folder);
        }
    }

    @Nested
    class OnPostgres extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.postgres();
        }
    }

    @Nested
    @Tag("engine")
    class OnMariaDb extends Contract {
        @Override
        TestDatabase newDatabase() {
            return TestDatabase.mariaDb();
        }
    }
}
