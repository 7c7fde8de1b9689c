package dev.leat.sql.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Cron;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduledRun;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.process.ChildJvm;
import dev.leat.storage.Storage;
import dev.leat.storagetests.TestLength;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several processes put what is scheduled, and one of them leads. The leader is killed, and so is another; the next leader stands still, and goes on
 * when somebody else leads. Each second has exactly one task of each schedule all the same. Covers R31, R43, rule 19.
 *
 * <p>{@code -Dleat.schedule.stop=30} makes it stand still for that many seconds.
 */
class ScheduleKillTest {
    private static final Duration STOP = Duration.ofSeconds(TestLength.of("leat.schedule.stop", 10, 30));
    private static final Duration LONG = Duration.ofMinutes(3);
    /** What is promised. */
    private static final Duration TAKE_OVER = Duration.ofSeconds(10);

    private static final List<String> SCHEDULES = List.of("rate", "cron");

    @TempDir
    Path folder;

    private final List<Child> children = new ArrayList<>();

    /** Takes part until its input ends, and says when it leads. */
    static final class Taker {
        public static void main(String[] args) throws IOException {
            try (Leat leat = Leat.builder(args[0])
                    .heartbeat(Duration.ofMillis(200), Duration.ofSeconds(1))
                    .open()) {
                NewTask tick = NewTask.to("ticks").build();
                MissedRuns missed = MissedRuns.catchUp(MissedRuns.CatchUp.MAX);
                leat.schedules()
                        .put(Schedule.of("rate", Cadence.every(Duration.ofSeconds(1)), tick)
                                .missed(missed));
                leat.schedules()
                        .put(Schedule.of("cron", Cron.of("* * * * * *"), tick).missed(missed));
                leat.leader("leader")
                        .whileLeading(term -> {
                            System.out.println("leads");
                            try {
                                Thread.currentThread().join();
                            } finally {
                                System.out.println("ended");
                            }
                        })
                        .start();
                System.out.println("ready");
                while (System.in.read() >= 0) {
                    // only its end says something
                }
            }
        }
    }

    /** A process, and what it said last. */
    private static final class Child {
        final Process process;
        private volatile String said = "";

        Child(TestDatabase database) {
            List<String> small = List.of("-Xmx64m");
            try {
                process = ChildJvm.of(small, Taker.class, database.leatUrl()).start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread reader = new Thread(this::listen, "child " + process.pid());
            reader.setDaemon(true);
            reader.start();
        }

        private void listen() {
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .lines()
                    .forEach(line -> said = line);
        }

        boolean isReady() {
            return !said.isEmpty();
        }

        boolean leads() {
            return said.equals("leads") && process.isAlive();
        }

        boolean hasEnded() {
            return said.equals("ended");
        }

        void signal(String name) throws IOException, InterruptedException {
            Process kill = new ProcessBuilder("kill", "-s", name, Long.toString(process.pid())).start();
            assertThat(kill.waitFor()).isZero();
        }
    }

    @Test
    void onPostgres() throws Exception { // R31, R43
        assertExactlyOneForEachTime(TestDatabase.postgres(), 8, TAKE_OVER);
    }

    @Test
    @Tag("soak")
    void onMariaDb() throws Exception { // R31, R43
        assertExactlyOneForEachTime(TestDatabase.mariaDb(), 4, TAKE_OVER);
    }

    /** One that stands still while it writes keeps everybody else from writing, and so from taking over. */
    @Test
    void onSqlite() throws Exception { // R31, R43
        assertExactlyOneForEachTime(TestDatabase.sqlite(folder), 4, LONG);
    }

    private void assertExactlyOneForEachTime(TestDatabase database, int processes, Duration takeOverOfStopped)
            throws Exception {
        try (Storage storage = database.open()) { // nobody sweeps here
            for (int i = 0; i < processes; i++) {
                children.add(new Child(database));
            }
            awaitThat("all take part", LONG, () -> children.stream().allMatch(Child::isReady));
            awaitRuns(storage, 3);

            Child killed = awaitLeader(LONG, null);
            killed.process.destroyForcibly().waitFor();
            Child next = awaitLeader(TAKE_OVER, killed);
            follower().process.destroyForcibly().waitFor();

            next.signal("STOP");
            long until = System.nanoTime() + STOP.toNanos();
            if (takeOverOfStopped.equals(TAKE_OVER)) {
                awaitLeader(takeOverOfStopped, next);
            }
            awaitThat("it to stand still for long", LONG, () -> System.nanoTime() - until >= 0);
            next.signal("CONT");
            awaitThat("it to know that it does not lead", LONG, next::hasEnded);
            awaitLeader(takeOverOfStopped, next);

            int before = runs(storage, SCHEDULES.get(0)).size();
            awaitRuns(storage, before + 3);
            stopAll(storage);
            for (String schedule : SCHEDULES) {
                assertEachSecondOnce(runs(storage, schedule));
            }
        } finally {
            children.forEach(child -> child.process.destroyForcibly());
        }
    }

    /** The one that leads and is not {@code other}, whatever that one thinks. */
    private Child awaitLeader(Duration atMost, Child other) {
        awaitThat("a leader", atMost, () -> leaders(other).count() == 1);
        return leaders(other).findFirst().orElseThrow();
    }

    private Stream<Child> leaders(Child other) {
        return children.stream().filter(child -> child != other && child.leads());
    }

    private Child follower() {
        return children.stream()
                .filter(child -> child.process.isAlive() && !child.leads())
                .findFirst()
                .orElseThrow();
    }

    private static void awaitRuns(Storage storage, int count) {
        awaitThat(count + " runs of each", LONG, () -> SCHEDULES.stream()
                .allMatch(schedule -> runs(storage, schedule).size() >= count));
    }

    private static void awaitThat(String what, Duration atMost, Callable<Boolean> condition) {
        await(what).atMost(atMost).pollInterval(Duration.ofMillis(20)).until(condition);
    }

    private void stopAll(Storage storage) throws Exception {
        for (Child child : children) {
            if (child.process.isAlive()) {
                child.process.getOutputStream().close();
            }
        }
        for (Child child : children) {
            assertThat(child.process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
        SCHEDULES.forEach(storage.schedules()::pause);
    }

    private static List<Instant> runs(Storage storage, String schedule) {
        List<Instant> dues = new ArrayList<>();
        TaskQuery query = TaskQuery.of("ticks").limit(TaskQuery.MAX_LIMIT);
        List<Task> page = storage.list(query);
        while (!page.isEmpty()) {
            page.stream()
                    .flatMap(task -> ScheduledRun.of(task).stream())
                    .filter(run -> run.schedule().equals(schedule))
                    .map(ScheduledRun::due)
                    .forEach(dues::add);
            page = storage.list(query.after(page.get(page.size() - 1).id()));
        }
        return dues;
    }

    private static void assertEachSecondOnce(List<Instant> runs) {
        Instant first = runs.stream().min(Instant::compareTo).orElseThrow();
        Instant last = runs.stream().max(Instant::compareTo).orElseThrow();
        List<Instant> expected = IntStream.rangeClosed(
                        0, (int) Duration.between(first, last).toSeconds())
                .mapToObj(first::plusSeconds)
                .toList();
        assertThat(runs).containsExactlyInAnyOrderElementsOf(expected);
    }
}
