package dev.leat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import dev.leat.storage.Storage;
import dev.leat.storagetests.InterceptedStorage;
import dev.leat.worker.Failure;
import dev.leat.worker.Handler;
import dev.leat.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** What workers and their Leat tell the log, and those who listen, of handlers that fail. In cli, whose log can be read. */
class WorkerLogTest {
    private static final String Q = "q";
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Handler<String> FAILING = (payload, task) -> {
        throw new IllegalStateException("no route");
    };

    @TempDir
    Path folder;

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.leat");
    private final Lines lines = new Lines();
    private final Leat leat = Leat.open("memory:");

    /** A line of the log, with the first line of its exception. */
    private record Line(Level level, String text, Optional<String> error, Map<String, String> context) {}

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final List<Line> written = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            written.add(new Line(
                    event.getLevel(),
                    event.getFormattedMessage(),
                    Optional.ofNullable(event.getThrowableProxy())
                            .map(error -> error.getClassName() + ": " + error.getMessage()),
                    event.getMDCPropertyMap()));
        }
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void close() {
        leat.close();
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    private static QueueOptions.Builder failingAtOnce(int maxFailures) {
        return QueueOptions.builder()
                .retry(RetryPolicy.standard().maxFailures(maxFailures).backoff(Backoff.none()));
    }

    private Worker start(Leat on, Handler<String> handler) {
        return on.worker().handle(Q, String.class, handler).start();
    }

    private static void awaitState(Leat on, long id, TaskState state) {
        await().atMost(SOON).until(() -> on.peek(id).orElseThrow().state() == state);
    }

    private List<Line> awaitLines(int count) {
        await().atMost(SOON).until(() -> lines.written.size() >= count);
        return lines.written;
    }

    // Failures

    @Test
    void aFailedAttemptIsAWarningAndTheLastOneAnError() {
        assertWarningThenError(leat);
    }

    @Test
    void theSameIsLoggedThroughAServer() {
        try (LeatServer server =
                        LeatServer.start(leat, ServerOptions.builder().port(0).build());
                Leat remote = Leat.open("http://127.0.0.1:" + server.port())) {
            assertWarningThenError(remote);
        }
    }

    private void assertWarningThenError(Leat on) {
        on.queue(Q).create(failingAtOnce(2).build());
        start(on, FAILING);
        long id = on.put(Q, "");
        String error = "java.lang.IllegalStateException: no route";

        List<Line> written = awaitLines(2);

        assertThat(written.get(0).level()).isEqualTo(Level.WARN);
        assertThat(written.get(0).text())
                .isEqualTo(
                        "Task " + id + " of queue 'q' failed at attempt 1 of 2 and is tried again at once: " + error);
        assertThat(written.get(0).error()).contains(error);
        assertThat(written.get(0).context()).containsEntry("leat.task", Long.toString(id));
        assertThat(written.get(1).level()).isEqualTo(Level.ERROR);
        assertThat(written.get(1).text())
                .isEqualTo("Task " + id + " of queue 'q' failed at attempt 2 of 2 and is buried: it is not tried again"
                        + " until it is kicked: " + error);
        assertThat(written.get(1).error()).contains(error);
        awaitState(on, id, TaskState.BURIED);
    }

    @Test
    void anErrorSaysThatTheDeadHandlerIsNext() {
        leat.queue(Q)
                .create(failingAtOnce(1).exhaustion(Exhaustion.DEAD_HANDLER).build());
        leat.worker()
                .handle(Q, String.class, FAILING)
                .handleDead(Q, String.class, (payload, task) -> {})
                .start();
        leat.put(Q, "");

        assertThat(awaitLines(1).get(0).text()).contains("at attempt 1 of 1 and has ended as failed: its dead handler");
    }

    @Test
    void anErrorSaysThatTheTaskHasEndedAsFailed() {
        leat.queue(Q).create(failingAtOnce(1).exhaustion(Exhaustion.FAIL).build());
        start(leat, FAILING);
        leat.put(Q, "");

        Line line = awaitLines(1).get(0);
        assertThat(line.level()).isEqualTo(Level.ERROR);
        assertThat(line.text()).contains("has ended as failed: it is not tried again");
    }

    @Test
    void anErrorSaysNothingOfTheGroupWhichMayGoOn() {
        leat.queue(Q).create(failingAtOnce(1).exhaustion(Exhaustion.FAIL_GROUP).build());
        start(leat, FAILING);
        Group group = leat.createGroup(GroupSpec.named("g").onFailure(GroupSpec.OnFailure.CONTINUE));
        leat.put(NewTask.to(Q).group(group.id()).build());
        group.start();

        assertThat(awaitLines(1).get(0).text()).contains("has ended as failed").doesNotContain("group");
    }

    @Test
    void anExceptionThatCannotDescribeItselfFailsItsTaskAndIsLoggedByItsClass() {
        leat.queue(Q).create(failingAtOnce(1).build());
        List<Object> order = new CopyOnWriteArrayList<>();
        order.add(List.of(order));
        class Broken extends RuntimeException {
            @Override
            public String getMessage() {
                return "cannot ship " + order;
            }
        }
        Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    throw new Broken();
                })
                .onFailure(failures::add)
                .start();

        awaitState(leat, leat.put(Q, ""), TaskState.BURIED);

        assertThat(awaitLines(1)).singleElement().satisfies(line -> assertThat(line.text())
                .contains("is buried", Broken.class.getName()));
        await().atMost(SOON).until(() -> failures.size() == 1);
    }

    @Test
    void aTaskThatItsHandlerBuriesIsAWarning() {
        Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handle(Q, String.class, (payload, task) -> task.bury("no such user"))
                .onFailure(failures::add)
                .start();
        long id = leat.put(Q, "");

        await().atMost(SOON).until(() -> failures.size() == 1);

        assertThat(lines.written).singleElement().satisfies(line -> {
            assertThat(line.level()).isEqualTo(Level.WARN);
            assertThat(line.text())
                    .isEqualTo("Task " + id + " of queue 'q' was given up by its handler at attempt 1 and is buried: it"
                            + " is not tried again until it is kicked: no such user");
        });
        Failure buried = failures.remove();
        assertThat(buried.message()).isEqualTo("no such user");
        assertThat(buried.error()).isEmpty();
        assertThat(buried.last()).isTrue();
    }

    @Test
    void anExceptionThatAHandlerFailsWithIsKeptLoggedAndTold() {
        Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handle(Q, String.class, (payload, task) -> task.fail(new IllegalStateException("no route")))
                .onFailure(failures::add)
                .start();

        assertKeptLoggedAndTold(leat.put(Q, ""), failures);
    }

    @Test
    void soIsThatOfATaskInABatch() {
        Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        leat.worker()
                .handleBatch(
                        Q,
                        String.class,
                        items -> items.forEach(item -> item.task().fail(new IllegalStateException("no route"))))
                .onFailure(failures::add)
                .start();

        assertKeptLoggedAndTold(leat.put(Q, ""), failures);
    }

    private void assertKeptLoggedAndTold(long id, Queue<Failure> failures) {
        await().atMost(SOON).until(() -> failures.size() == 1);

        String error = "java.lang.IllegalStateException: no route";
        assertThat(failures.remove().error()).containsInstanceOf(IllegalStateException.class);
        assertThat(lines.written).singleElement().satisfies(line -> assertThat(line.error())
                .contains(error));
        assertThat(leat.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.message()).isEqualTo(error);
            assertThat(attempt.thrown().orElseThrow().stackTrace()).startsWith(error + "\n\tat ");
        });
    }

    @Test
    void aTaskWhoseWorkersDieIsAnErrorWhenItIsGivenUp() {
        leat.queue(Q)
                .create(QueueOptions.builder()
                        .ttr(Duration.ofMillis(50))
                        .retry(RetryPolicy.standard().maxLosses(1))
                        .build());
        long id = leat.put(Q, "");
        assertThat(leat.take(Q)).isPresent();

        Line line = awaitLines(1).get(0);

        assertThat(line.level()).isEqualTo(Level.ERROR);
        assertThat(line.text())
                .isEqualTo(
                        "Task " + id + " of queue 'q' has lost its lease once too often, to workers that died or to its"
                                + " time limit, and is buried");
    }

    @Test
    void aChangeOfOptionsIsNoErrorAndMakesNoDroppedQueueAgain() {
        try (Leat unheard = Leat.builder("")
                .storage(withoutWaitingConsumers(leat.storage()))
                .open()) {
            QueueOptions.Builder options = QueueOptions.builder();
            unheard.queue(Q)
                    .create(options.typeFilter(QueueOptions.TypeFilter.ON).build());
            unheard.worker()
                    .handle(Q, "a", String.class, (payload, task) -> {})
                    .handle("gone", String.class, (payload, task) -> {})
                    .start();
            awaitState(unheard, unheard.put(NewTask.to(Q).type("a").build()).id(), TaskState.DONE);
            unheard.storage().queues().drop("gone");

            unheard.queue(Q)
                    .configure(options.typeFilter(QueueOptions.TypeFilter.OFF).build());
            awaitState(unheard, unheard.put(NewTask.to(Q).type("a").build()).id(), TaskState.DONE);

            assertThat(unheard.queue("gone").info()).isEmpty();
        }
        assertThat(lines.written)
                .filteredOn(line -> !line.text().contains("'gone', which does not exist"))
                .isEmpty();
    }

    /** A storage that hears of no waiting consumer, so that a queue can be dropped while a worker waits for its tasks. */
    private static Storage withoutWaitingConsumers(Storage storage) {
        return InterceptedStorage.of(storage, (name, arguments, call) -> {
            if (name.equals("sessions.heartbeat")) {
                arguments[1] = Map.of();
            }
            return call.make();
        });
    }

    @Test
    void withoutALimitOnlyTheAttemptIsTold() {
        leat.queue(Q)
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard()
                                .maxFailures(RetryPolicy.UNLIMITED)
                                .backoff(Backoff.fixed(Duration.ofMinutes(5))))
                        .build());
        start(leat, FAILING);
        leat.put(Q, "");

        assertThat(awaitLines(1).get(0).text()).contains("failed at attempt 1 and is tried again in about 5 min: ");
    }

    @Test
    void aHandlerThatFailsItsTaskIsLoggedAndOneThatPutsItOffIsNot() {
        start(leat, (payload, task) -> {
            if (payload.equals("later")) {
                task.retry(When.in(Duration.ofHours(1)), "not yet");
            } else {
                task.fail("no such user");
            }
        });
        leat.put(Q, "later");
        leat.put(Q, "now");

        List<Line> written = awaitLines(1);

        assertThat(written).hasSize(1);
        assertThat(written.get(0).text()).contains("failed at attempt 1 of 10", ": no such user");
        assertThat(written.get(0).error()).isEmpty();
    }

    @Test
    void aHandlerOverItsTimeLimitIsNotSaidToHaveFailed() {
        leat.queue(Q).create(QueueOptions.builder().ttr(Duration.ofMillis(100)).build());
        start(leat, (payload, task) -> {
            if (task.task().attempts() == 1) {
                new CountDownLatch(1).await();
            }
        });
        leat.put(Q, "");

        assertThat(awaitLines(1).get(0).text())
                .contains("was interrupted at its time limit of 100 ms at attempt 1 and is tried again at once");
    }

    @Test
    void whatIsNotTheHandlersFaultIsNotLogged() {
        AtomicInteger runs = new AtomicInteger();
        try (Leat sqlite = Leat.open("sqlite:" + folder.resolve("jobs.db"))) {
            sqlite.worker()
                    .handleInTransaction(Q, String.class, (payload, task, connection) -> {
                        if (runs.incrementAndGet() == 1) {
                            throw new SQLiteException("database is locked", SQLiteErrorCode.SQLITE_BUSY);
                        }
                    })
                    .start();

            awaitState(sqlite, sqlite.put(Q, ""), TaskState.DONE);
        }

        assertThat(runs).hasValue(2);
        assertThat(lines.written).isEmpty();
    }

    @Test
    void aCanceledTaskIsNotLogged() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(1);
        start(leat, (payload, task) -> {
            runs.countDown();
            new CountDownLatch(1).await();
        });
        long id = leat.put(Q, "");
        runs.await();

        leat.cancel(id, "not needed");

        awaitState(leat, id, TaskState.CANCELED);
        leat.close();
        assertThat(lines.written).isEmpty();
    }

    @Test
    void aHandlerThatAlwaysFailsDoesNotFillTheLog() {
        leat.queue(Q).create(failingAtOnce(2).build());
        leat.putAll(
                IntStream.range(0, 1_000).mapToObj(i -> NewTask.to(Q).build()).toList());
        Worker worker =
                leat.worker().handle(Q, String.class, FAILING).concurrency(4).start();
        await().atMost(SOON).until(() -> leat.queue(Q).stats().count(TaskState.BURIED) == 1_000);

        worker.close();

        assertThat(lines.written).filteredOn(line -> line.error().isPresent()).hasSize(10);
        assertThat(lines.written)
                .filteredOn(line -> line.error().isEmpty())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line.text())
                        .contains("And 995 more like it in queue 'q': java.lang.IllegalStateException at ")
                        .contains("The last: Task "));
    }

    // Those who listen

    @Test
    void aListenerIsToldOfEachFailure() {
        leat.queue(Q)
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard().maxFailures(2).backoff(Backoff.fixed(Duration.ofMillis(50))))
                        .build());
        Queue<Failure> failures = new ConcurrentLinkedQueue<>();
        leat.worker().handle(Q, String.class, FAILING).onFailure(failures::add).start();
        Instant before = Instant.now();
        long id = leat.put(Q, "");

        await().atMost(SOON).until(() -> failures.size() == 2);

        Failure first = failures.remove();
        assertThat(first.task().id()).isEqualTo(id);
        assertThat(first.attempt()).isOne();
        assertThat(first.error()).containsInstanceOf(IllegalStateException.class);
        assertThat(first.message()).contains("no route");
        assertThat(first.last()).isFalse();
        assertThat(first.nextAttempt())
                .hasValueSatisfying(next -> assertThat(next).isAfter(before));
        Failure second = failures.remove();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.last()).isTrue();
        assertThat(second.nextAttempt()).isEmpty();
    }

    @Test
    void aListenerThatThrowsHarmsNeitherTheTaskNorTheOtherListeners() {
        leat.queue(Q).create(failingAtOnce(2).build());
        AtomicInteger told = new AtomicInteger();
        leat.worker()
                .handle(Q, String.class, FAILING)
                .onFailure(failure -> {
                    throw new AssertionError("no network");
                })
                .onFailure(failure -> told.incrementAndGet())
                .start();

        awaitState(leat, leat.put(Q, ""), TaskState.BURIED);

        await().atMost(SOON).until(() -> told.get() == 2);
        assertThat(lines.written).anySatisfy(line -> assertThat(line.text())
                .startsWith("A listener of onFailure threw an exception for task ")
                .endsWith("no network"));
    }

    // The context of the log

    @Test
    void aHandlersLinesSayWhatItRuns() {
        CountDownLatch ended = new CountDownLatch(1);
        Queue<Map<String, String>> seen = new ConcurrentLinkedQueue<>();
        Worker worker = leat.worker()
                .handle(Q, String.class, (payload, task) -> seen.add(MDC.getCopyOfContextMap()))
                .threads(run -> new Thread(() -> {
                    MDC.put("leat.task", "before");
                    MDC.put("user", "ada");
                    run.run();
                    seen.add(MDC.getCopyOfContextMap());
                    ended.countDown();
                }))
                .start();
        long id = leat.put(Q, "");
        await().atMost(SOON).until(() -> seen.size() == 1);
        worker.close();
        await().atMost(SOON).until(() -> ended.getCount() == 0);

        assertThat(seen.remove())
                .isEqualTo(Map.of("leat.queue", Q, "leat.task", Long.toString(id), "leat.attempt", "1", "user", "ada"));
        assertThat(seen.remove()).isEqualTo(Map.of("leat.task", "before", "user", "ada"));
    }

    @Test
    void theLinesOfABatchSayItsQueue() {
        Queue<Map<String, String>> seen = new ConcurrentLinkedQueue<>();
        leat.putAll(List.of(NewTask.to(Q).build(), NewTask.to(Q).build()));
        leat.worker()
                .handleBatch(Q, String.class, items -> {
                    if (items.size() == 2) {
                        seen.add(MDC.getCopyOfContextMap());
                    }
                })
                .start();

        await().atMost(SOON).until(() -> !seen.isEmpty());

        assertThat(seen.remove()).isEqualTo(Map.of("leat.queue", Q));
    }

    // The end

    @Test
    void theMemoryStorageTellsHowManyTasksAreLostWithIt() {
        leat.putAll(List.of(NewTask.to(Q).build(), NewTask.to(Q).build()));

        leat.close();

        assertThat(lines.written).hasSize(1);
        assertThat(lines.written.get(0).text()).startsWith("The memory storage closes and loses 2 live tasks.");
    }

    @Test
    void aCloseTellsHowManyHandlersItWaitsFor() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(2);
        CountDownLatch mayEnd = new CountDownLatch(1);
        leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    runs.countDown();
                    mayEnd.await();
                })
                .concurrency(2)
                .start();
        leat.putAll(List.of(NewTask.to(Q).build(), NewTask.to(Q).build()));
        runs.await();
        Thread closer = new Thread(leat::close);
        closer.start();

        assertThat(awaitLines(1).get(0).text()).startsWith("Closing with 2 handlers running: waits up to 20 s");
        mayEnd.countDown();
        closer.join();
    }
}
