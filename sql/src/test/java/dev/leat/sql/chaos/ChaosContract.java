package dev.leat.sql.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.process.ChildJvm;
import dev.leat.storagetests.TestLength;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with workers are killed, and others stand still until their leases are lost and go on then, while producers hold
 * their transactions open. What every process saw is in a ledger outside the database, and {@link LedgerChecker} judges it.
 *
 * <p>{@code -Dleat.chaos.rounds=500} makes it long.
 */
abstract class ChaosContract {
    private static final int ROUNDS = TestLength.of("leat.chaos.rounds", 3, 12);
    /** A process that stands still may hold no lease just then, so that few rounds may prove nothing. */
    private static final int MOST_ROUNDS = Math.max(ROUNDS, 20);

    private static final int WORKERS = 4;
    private static final Duration LONG = Duration.ofMinutes(3);
    /** Stays when the test fails: the ledger tells why. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final Deque<Child> children = new ArrayDeque<>();
    private final List<Child> everStarted = new ArrayList<>();
    private Ledger driver;
    private int rounds;

    /** The same one each time. */
    abstract TestDatabase database();

    /** How many producers the database bears that hold their transactions open. */
    abstract int producers();

    /** After this time a process goes on though its session has not ended; normally that would be an error. */
    Duration longestStop() {
        return LONG;
    }

    private record Child(String name, Process process) {}

    @Test
    void nothingIsLostAndNothingIsHeldTwiceWhileProcessesDie() throws Exception {
        Files.createDirectory(ledger());
        driver = Ledger.of(ledger(), "driver");
        ExecutorService producing = Executors.newFixedThreadPool(producers());
        CountDownLatch stop = new CountDownLatch(1);
        try (Leat leat = Leat.builder(database().leatUrl())
                .heartbeat(ChaosWorker.HEARTBEAT, ChaosWorker.DEAD_AFTER)
                .open()) {
            declareQueue(leat);
            List<Future<?>> producers = startProducers(leat, producing, stop);
            for (int i = 0; i < WORKERS; i++) {
                children.add(startChild());
            }

            while (rounds < ROUNDS || rounds < MOST_ROUNDS && !hasLostLease()) {
                oneRound(rounds++);
            }

            stop.countDown();
            for (Future<?> producer : producers) {
                producer.get(LONG.toSeconds(), TimeUnit.SECONDS);
            }
            await().atMost(LONG)
                    .until(() -> leat.queue(ChaosWorker.QUEUE).stats().live() == 0);
            closeChildren();
        } finally {
            stop.countDown();
            producing.shutdown();
            everStarted.forEach(child -> child.process.destroyForcibly());
        }
        judge(Ledger.read(ledger()));
    }

    private List<Future<?>> startProducers(Leat leat, ExecutorService threads, CountDownLatch stop) {
        List<Future<?>> producers = new ArrayList<>();
        for (int i = 0; i < producers(); i++) {
            Ledger ledger = Ledger.of(ledger(), "producer" + i);
            producers.add(threads.submit(
                    new ChaosProducer(leat, database().jdbcUrl(), ledger, new SplittableRandom(), stop)));
        }
        return producers;
    }

    private Path ledger() {
        return folder.resolve("ledger");
    }

    private static void declareQueue(Leat leat) {
        RetryPolicy again = RetryPolicy.standard()
                .backoff(Backoff.fixed(Duration.ofMillis(100)))
                .maxLosses(RetryPolicy.UNLIMITED);
        leat.queue(ChaosWorker.QUEUE)
                .declare(QueueOptions.builder().retry(again).build());
    }

    /** One process stands still meanwhile another is killed and replaced; mostly for so long that it loses its session. */
    private void oneRound(int round) throws Exception {
        Child frozen = nextAtWork();
        Child victim = nextAtWork();
        signal("STOP", frozen);
        driver.write(Entry.Event.STOPPED, frozen.name);
        victim.process.destroyForcibly().waitFor();
        driver.write(Entry.Event.KILLED, victim.name);
        Child next = startChild();
        boolean loses = round % 4 != 3;
        if (loses) {
            awaitSessionEnd(frozen);
        }
        driver.write(Entry.Event.CONTINUED, frozen.name);
        signal("CONT", frozen);
        children.addLast(next);
        children.addLast(frozen);
    }

    /** A new process has a round's time to begin, while the others bear the load. */
    private Child nextAtWork() {
        Child child = children.removeFirst();
        awaitRun(child);
        return child;
    }

    private Child startChild() {
        String name = "worker" + everStarted.size();
        List<String> small = List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel="
                        + System.getProperty("org.slf4j.simpleLogger.defaultLogLevel", "error"));
        try {
            Process process = ChildJvm.of(small, ChaosWorker.class, database().leatUrl(), ledger().toString(), name)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Child child = new Child(name, process);
            everStarted.add(child);
            return child;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitRun(Child child) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> Ledger.readFile(ledger().resolve(child.name)).stream()
                        .anyMatch(entry -> entry.event() == Entry.Event.STARTED));
    }

    private void awaitSessionEnd(Child child) {
        long limit = System.nanoTime() + longestStop().toNanos();
        await().atMost(ChaosWorker.DEAD_AFTER.multipliedBy(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> System.nanoTime() > limit || !hasSession(child));
    }

    private boolean hasSession(Child child) throws SQLException {
        try (Connection connection = database().connect();
                PreparedStatement query = connection.prepareStatement("SELECT 1 FROM leat_session WHERE id LIKE ?")) {
            query.setString(1, child.name + "#%");
            try (ResultSet row = query.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void signal(String name, Child child) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-s", name, Long.toString(child.process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private void closeChildren() throws Exception {
        for (Child child : children) {
            child.process.getOutputStream().close();
        }
        for (Child child : children) {
            assertThat(child.process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    private boolean hasLostLease() {
        return hasLostLease(Ledger.read(ledger()));
    }

    /** Whether a settle was refused because its lease was lost. */
    private static boolean hasLostLease(List<Entry> ledger) {
        return ledger.stream()
                .anyMatch(entry ->
                        entry.event() == Entry.Event.SETTLED && entry.about().equals("GONE"));
    }

    private void judge(List<Entry> ledger) {
        assertThat(LedgerChecker.violations(ledger, ChaosWorker.DEAD_AFTER)).isEmpty();
        assertThat(count(ledger, Entry.Event.KILLED)).isEqualTo(rounds);
        assertThat(count(ledger, Entry.Event.STOPPED)).isEqualTo(rounds);
        assertThat(count(ledger, Entry.Event.COMMITTED)).isGreaterThan(10L * ROUNDS);
        assertThat(count(ledger, Entry.Event.ROLLED_BACK)).isPositive();
        assertThat(hasLostLease(ledger)).as("a settle of a lease that was lost").isTrue();
    }

    private static long count(List<Entry> ledger, Entry.Event event) {
        return ledger.stream().filter(entry -> entry.event() == event).count();
    }
}
