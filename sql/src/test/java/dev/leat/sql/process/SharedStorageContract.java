package dev.leat.sql.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Awaited;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.sql.TestDatabase;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storagetests.TestLength;
import dev.leat.storagetests.group.GroupRace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two storages on one database see and wake each other, as those of two processes do. */
abstract class SharedStorageContract {
    static final String Q = "q";
    private static final Duration SECOND = Duration.ofSeconds(1);

    TestDatabase database;
    Storage here;
    Storage there;

    @BeforeEach
    void open() {
        database = newDatabase();
        here = database.open();
        there = database.open();
        here.queues().create(Q, QueueOptions.standard());
    }

    @AfterEach
    void close() {
        there.close();
        here.close();
    }

    abstract TestDatabase newDatabase();

    static long put(Storage storage) {
        return storage.put(List.of(NewTask.to(Q).build())).get(0).id();
    }

    private static TakenTask take(Storage storage, String session) {
        return storage.take(TakeRequest.from(Q).session(session)).get(0);
    }

    private static SettleResult ack(Storage storage, TakenTask taken) {
        return storage.settle(List.of(Settle.ack(taken.lease()))).get(0);
    }

    void assertHeardThere(Notice notice, Runnable deedHere) {
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = there.signal().listen(heard::add)) {
            deedHere.run();
            Awaitility.await().atMost(SECOND).pollInterval(Duration.ofMillis(2)).untilAsserted(() -> assertThat(heard)
                    .contains(notice));
        }
    }

    @Test
    void aPutWakesAWaitingTakeOfTheOtherWithinASecond() throws Exception { // N46
        try (Leat leatHere = Leat.builder("").storage(here).open();
                Leat leatThere = Leat.builder("").storage(there).open()) {
            CompletableFuture<List<TakenTask>> waiting =
                    leatThere.takeAsync(List.of(TakeRequest.from(Q)), Duration.ofMinutes(1));

            leatHere.put(Q, "hello");

            assertThat(waiting.get(1, TimeUnit.SECONDS)).hasSize(1);
        }
    }

    @Test
    void aPutIntoAQueueThatItMakesWakesAWaitingTakeOfTheOtherWithinASecond() throws Exception { // rule 45
        try (Leat leatHere = Leat.builder("").storage(here).open();
                Leat leatThere = Leat.builder("").storage(there).open()) {
            CompletableFuture<List<TakenTask>> waiting =
                    leatThere.takeAsync(List.of(TakeRequest.from("later")), Duration.ofMinutes(1));

            leatHere.put("later", "hello");

            assertThat(waiting.get(1, TimeUnit.SECONDS)).hasSize(1);
        }
    }

    @Test
    void theEndOfATaskWakesThoseWhoWaitInTheOtherWithinASecond() throws Exception { // R10, R25
        try (Leat leatHere = Leat.builder("").storage(here).open();
                Leat leatThere = Leat.builder("").storage(there).open()) {
            long id = leatHere.putAddressed(Q, "a", "hello").id();
            CompletableFuture<Awaited> byId = leatThere.outcomes().awaitAsync(id, Duration.ofMinutes(1));
            CompletableFuture<Awaited> byAddress = leatThere.outcomes().awaitAsync(Q, "a", Duration.ofMinutes(1));
            assertThat(leatThere.outcomes().await(Q, "a", Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));

            TakenTask taken = leatHere.take(Q).orElseThrow();
            leatHere.settle(new Settle.Ack(taken.lease(), "", Optional.of(Payload.of("42"))));

            Awaited ended = new Awaited.Ended(new Outcome(id, TaskState.DONE, "", 0, Optional.of(Payload.of("42"))));
            assertThat(byId.get(1, TimeUnit.SECONDS)).isEqualTo(ended);
            assertThat(byAddress.get(1, TimeUnit.SECONDS)).isEqualTo(ended);
        }
    }

    @Test
    void theEndOfAPlainTaskIsFoundByThoseWhoWaitInTheOther() throws Exception {
        try (Leat leatHere = Leat.builder("").storage(here).open();
                Leat leatThere = Leat.builder("").storage(there).open()) {
            long id = leatHere.put(Q, "hello");
            CompletableFuture<Awaited> waiting = leatThere.outcomes().awaitAsync(id, Duration.ofMinutes(1));
            TakenTask taken = leatHere.take(Q).orElseThrow();

            leatHere.ack(taken);

            assertThat(waiting.get(10, TimeUnit.SECONDS).ended())
                    .map(Outcome::ok)
                    .contains(true);
        }
    }

    @Test
    void aPartOfAResultWakesThoseWhoWaitInTheOtherWithinASecond() throws Exception { // R11
        try (Leat leatHere = Leat.builder("").storage(here).open();
                Leat leatThere = Leat.builder("").storage(there).open()) {
            long id = leatHere.putAddressed(Q, "a", "hello").id();
            TakenTask taken = leatHere.take(Q).orElseThrow();
            CompletableFuture<Awaited> waiting = leatThere.outcomes().awaitChunkAsync(id, 0, Duration.ofMinutes(1));
            assertThat(leatThere.outcomes().awaitChunk(id, 0, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));

            leatHere.outcomes().reportChunk(taken.lease(), 1);

            assertThat(waiting.get(1, TimeUnit.SECONDS)).isEqualTo(new Awaited.Chunk(id, 1));
        }
    }

    @Test
    void theEndOfAnAwaitedTaskIsToldToTheListenersOfTheOther() { // R40
        long id = here.put(List.of(NewTask.to(Q).address("a").build())).get(0).id();
        TakenTask taken = here.take(TakeRequest.from(Q)).get(0);
        there.statuses(Set.of(id));

        assertHeardThere(new Notice.TaskNews(id), () -> ack(here, taken));
    }

    @Test
    void whatAWorkerHereLeavesIsSoonRunByTheOneThere() {
        try (Leat leatHere = Leat.builder("").storage(here).open();
                Leat leatThere = Leat.builder("").storage(there).open()) {
            leatHere.worker().publications(Q).start();
            leatThere.worker().handle(Q, String.class, (payload, task) -> {}).start();

            List<Long> ids = IntStream.range(0, 10)
                    .mapToObj(i -> leatHere.put(Q, "for the one there"))
                    .toList();

            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(ids)
                    .allSatisfy(id ->
                            assertThat(leatHere.peek(id).orElseThrow().state()).isEqualTo(TaskState.DONE)));
            assertThat(ids).allSatisfy(id -> assertThat(leatHere.attempts(id)).isEmpty());
        }
    }

    /** Several may wait in one process, such as the clients of a server: what one of them finds out is news for the others. */
    @Test
    void theEndThatOneFindsOutIsToldToTheOthersOfItsProcess() {
        long id = put(here);
        TakenTask taken = here.take(TakeRequest.from(Q)).get(0);
        there.statuses(Set.of(id));
        ack(here, taken);

        assertHeardThere(new Notice.TaskNews(id), () -> there.statuses(Set.of(id)));
    }

    /** Also before the other one has told of it, and in priorities of which nothing was ever taken here. */
    @Test
    void tasksPutTogetherByTheOtherAreTakenInTheirOrder() {
        for (int round = 0; round < 100; round++) {
            int priority = -2 * round;
            List<NewTask> tasks = IntStream.of(priority + 1, priority, priority - 1)
                    .mapToObj(each -> NewTask.to(Q).priority(each).build())
                    .toList();

            there.put(tasks);

            assertThat(here.take(TakeRequest.from(Q).count(1)))
                    .extracting(taken -> taken.task().priority())
                    .containsExactly(priority - 1);
            here.queues().truncate(Q);
        }
    }

    @Test
    void aPutIsToldToTheListenersOfTheOther() { // R40
        assertHeardThere(new Notice.Ready(Q), () -> put(here));
    }

    /** Their names are more than the 8000 bytes that PostgreSQL lets one message have. */
    @Test
    void manyQueuesWithLongNamesAreToldToTheListenersOfTheOther() { // R41
        List<String> queues = IntStream.range(0, 100)
                .mapToObj(i -> Integer.toString(1_000 + i).repeat(32))
                .toList();
        queues.forEach(queue -> here.queues().create(queue, QueueOptions.standard()));
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = there.signal().listen(heard::add)) {
            here.put(queues.stream().map(queue -> NewTask.to(queue).build()).toList());

            Awaitility.await().untilAsserted(() -> assertThat(heard)
                    .containsAll(queues.stream().map(Notice.Ready::new).toList()));
        }
    }

    @Test
    void anEarlierTimerIsToldToTheListenersOfTheOther() {
        assertHeardThere(
                Notice.TimerMoved.INSTANCE,
                () -> here.put(
                        List.of(NewTask.to(Q).delay(Duration.ofMinutes(1)).build())));
    }

    @Test
    void aPauseIsToldToTheListenersOfTheOther() {
        assertHeardThere(new Notice.Paused(Q), () -> here.queues().pause(Q));
    }

    @Test
    void aCancelIsNewsForASessionOfTheOther() {
        String session = there.sessions().open(SessionSpec.named("there"));
        put(there);
        TakenTask taken = take(there, session);

        assertHeardThere(new Notice.SessionNews(session), () -> here.cancel(taken.id(), "not needed"));

        assertThat(there.sessions().heartbeat(session, Map.of()).cancelRequested())
                .containsExactly(taken.lease());
    }

    @Test
    void aTaskIsTakenByOneOfThemOnly() { // R4
        put(here);

        assertThat(here.take(TakeRequest.from(Q))).hasSize(1);
        assertThat(there.take(TakeRequest.from(Q))).isEmpty();
    }

    @Test
    void aLeaseCanBeSettledThroughEither() {
        String session = here.sessions().open(SessionSpec.named("here"));
        put(here);
        TakenTask taken = take(here, session);

        assertThat(ack(there, taken).status()).isEqualTo(SettleResult.Status.DONE);
        assertThat(ack(here, taken).status()).isEqualTo(SettleResult.Status.ALREADY);
    }

    @Test
    void aSessionLivesInBoth() {
        String session = here.sessions().open(SessionSpec.named("here"));
        put(here);
        TakenTask taken = take(there, session);
        assertThat(there.sessions().heartbeat(session, Map.of(Q, 2)).alive()).isTrue();
        assertThat(here.queues().stats(Q).consumers()).isEqualTo(2);

        there.sessions().close(session);

        assertThat(here.sessions().heartbeat(session, Map.of()).alive()).isFalse();
        assertThat(here.peek(taken.id()).orElseThrow().state()).isEqualTo(TaskState.READY);
    }

    @Test
    void anEquivalentTaskOfTheOtherIsInTheWay() {
        NewTask task = NewTask.to(Q)
                .payload("hello")
                .externalKey("order 7")
                .unlessEquivalent()
                .build();
        PutResult first = here.put(List.of(task)).get(0);

        assertThat(there.put(List.of(task))).containsExactly(new PutResult(first.id(), false, TaskState.READY));
    }

    @Test
    void changedOptionsHoldForTheOtherAtOnce() {
        put(there);
        here.queues().declare(Q, QueueOptions.builder().priority(7).build(), QueueInfo.SetBy.CODE);
        assertThat(there.peek(put(there)).orElseThrow().priority()).isEqualTo(7);

        here.queues().pause(Q);

        assertThat(there.take(TakeRequest.from(Q))).isEmpty();
    }

    @Test
    void changedOptionsHoldForTheSettlesOfTheOtherToo() {
        put(there);
        TakenTask taken = there.take(TakeRequest.from(Q)).get(0);
        here.queues()
                .declare(Q, QueueOptions.builder().retention(Retention.none()).build(), QueueInfo.SetBy.CODE);

        ack(there, taken);

        assertThat(here.peek(taken.id())).isEmpty();
    }

    @Test
    void aDroppedQueueIsGoneForTheOtherAtOnce() {
        put(there);

        here.queues().drop(Q);

        Assertions.assertThatExceptionOfType(QueueNotFoundException.class).isThrownBy(() -> put(there));
        here.queues().create(Q, QueueOptions.standard());
        assertThat(there.take(TakeRequest.from(Q))).isEmpty();
    }

    @Test
    void aTaskOfAnotherPriorityIsSeenByTheOtherAtOnce() {
        put(there);
        assertThat(there.take(TakeRequest.from(Q))).hasSize(1);
        assertThat(there.take(TakeRequest.from(Q))).isEmpty();

        here.put(List.of(NewTask.to(Q).priority(5).build()));

        assertThat(there.take(TakeRequest.from(Q))).hasSize(1);
    }

    @Test
    void groupsEndOnceWhoeverOfThemRacesThem() { // rule 18
        GroupRace race = GroupRace.of(TestLength.of("leat.group.races", 100, 300), here);

        race.run(8, List.of(here, there));

        race.assertEachEndedOnce(there);
    }

    @Test
    void anyNumberMayOpenAnEmptyDatabaseAtOnce() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(8);
        List<Storage> storages = new ArrayList<>();
        try {
            Callable<Storage> open = database::open;
            for (Future<Storage> opened : executor.invokeAll(Collections.nCopies(8, open))) {
                storages.add(opened.get());
            }

            assertThat(storages)
                    .allSatisfy(storage -> assertThat(storage.queues().find(Q)).isPresent());
        } finally {
            storages.forEach(Storage::close);
            executor.shutdown();
        }
    }
}
