package dev.leat.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.leat.Awaited;
import dev.leat.Lease;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Registration;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.ClosedException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import dev.leat.sql.fault.CuttingProxy;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storagetests.server.FreePort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client whose connection is lost, or not there yet, goes on, and nothing is done twice or forgotten. Covers O36, T33, T34, N51. */
@Tag("jvm")
class ConnectionTest {
    private static final String Q = "q";
    private static final Duration LONG = Duration.ofSeconds(20);

    private Leat behind;
    private LeatServer server;
    private CuttingProxy line;
    private Storage remote;

    @BeforeEach
    void open() {
        behind = Leat.open("memory:");
        behind.queue(Q).create(QueueOptions.standard());
        server = LeatServer.start(behind, ServerOptions.builder().port(0).build());
        line = new CuttingProxy(server.port());
        remote = open(line.port());
        remote.now();
    }

    private static Storage open(int port) {
        return Storages.open("http://127.0.0.1:" + port, StorageSettings.standard());
    }

    @AfterEach
    void close() {
        remote.close();
        line.close();
        server.close();
        behind.close();
    }

    private void loseTheNextAnswer() {
        line.cut(CuttingProxy.Where.BEFORE_THE_ANSWER, "");
    }

    private TakenTask putAndTake(String session) {
        remote.put(List.of(NewTask.to(Q).payload("a").build()));
        return remote.take(TakeRequest.from(Q).session(session)).get(0);
    }

    private String openSession(Duration grace) {
        return remote.sessions().open(SessionSpec.named("test").grace(grace));
    }

    // Lost answers

    @Test
    void aPutWhoseAnswerIsLostIsDoneOnce() { // rule 22
        loseTheNextAnswer();

        long id = remote.put(List.of(NewTask.to(Q).build())).get(0).id();

        assertThat(line.hasCut()).isTrue();
        assertThat(behind.queue(Q).stats().count(TaskState.READY)).isEqualTo(1);
        assertThat(behind.peek(id)).isPresent();
    }

    @Test
    void aSettleWhoseAnswerIsLostIsDoneOnce() { // rule 9
        TakenTask taken = putAndTake(openSession(LONG));
        loseTheNextAnswer();

        List<SettleResult> results = remote.settle(List.of(Settle.ack(taken.lease())));

        assertThat(line.hasCut()).isTrue();
        assertThat(results).containsExactly(SettleResult.already(Q, TaskState.DONE));
    }

    @Test
    void theTasksOfATakeWhoseAnswerIsLostComeBackAsIfTheyHadNotBeenTaken() {
        String session = openSession(LONG);
        remote.put(List.of(NewTask.to(Q).build()));
        loseTheNextAnswer();

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> remote.take(TakeRequest.from(Q).session(session)))
                .withMessageContaining("take");

        await().atMost(LONG).until(() -> behind.queue(Q).stats().count(TaskState.READY) == 1);
        TakenTask again = remote.take(TakeRequest.from(Q).session(session)).get(0);
        assertThat(again.task().attempts()).isEqualTo(1);
        assertThat(again.task().losses()).isZero();
    }

    @Test
    void whatIsHeldStaysHeldWhenTheAnswerOfAnotherTakeIsLost() {
        String session = openSession(LONG);
        TakenTask held = putAndTake(session);
        remote.put(List.of(NewTask.to(Q).build()));
        loseTheNextAnswer();

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> remote.take(TakeRequest.from(Q).session(session)));

        await().atMost(LONG).until(() -> behind.queue(Q).stats().count(TaskState.READY) == 1);
        assertThat(behind.storage().sessions().leases(session)).containsExactly(held.lease());
    }

    @Test
    void whatCannotBeAskedForTwiceSaysThatItsAnswerWasLost() {
        long id = remote.put(List.of(NewTask.to(Q).build())).get(0).id();
        loseTheNextAnswer();

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> remote.delete(id))
                .withMessageContaining("127.0.0.1:" + line.port())
                .withMessageContaining("'delete'")
                .withMessageContaining("may have been done or not");
    }

    // Sessions

    @Test
    void aSessionWithGraceOutlivesALostConnection() {
        String session = openSession(LONG);
        Lease lease = putAndTake(session).lease();

        line.goDown();
        await().atMost(LONG).until(() -> isWaitedFor(session));
        line.comeBack();

        assertThat(remote.sessions().heartbeat(session, Map.of()).alive()).isTrue();
        assertThat(remote.settle(List.of(Settle.ack(lease))).get(0).status()).isEqualTo(SettleResult.Status.DONE);
    }

    /** Its grace runs, which a heartbeat ends: looking must not be one. */
    private boolean isWaitedFor(String session) {
        return behind.storage().sessions().leases(session).size() == 1;
    }

    @Test
    void aSessionWithoutGraceEndsWithItsConnection() {
        String session = openSession(Duration.ZERO);
        putAndTake(session);

        line.goDown();

        await().atMost(LONG).until(() -> behind.queue(Q).stats().count(TaskState.READY) == 1);
        line.comeBack();
        assertThat(remote.sessions().heartbeat(session, Map.of()).alive()).isFalse();
    }

    @Test
    void aSessionEndsWithItsLastConnectionOnly() {
        String session = openSession(Duration.ZERO);
        putAndTake(session);
        try (Storage other = open(server.port())) {
            assertThat(other.sessions().heartbeat(session, Map.of()).alive()).isTrue();
            line.goDown();
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(hasLock("nobody's")).isFalse());

            assertThat(other.sessions().heartbeat(session, Map.of()).alive()).isTrue();
        }
        await().atMost(LONG).until(() -> behind.queue(Q).stats().count(TaskState.READY) == 1);
    }

    /** The server keeps the locks of clients apart from those of the storage. */
    private boolean hasLock(String name) {
        Optional<Lock.Held> held = behind.storage().lock().tryAcquire("client " + name, LONG);
        held.ifPresent(Lock.Held::close);
        return held.isEmpty();
    }

    // Locks and notices

    @Test
    void aLostConnectionFreesItsLocksAtOnce() { // N51
        Lock.Held held = remote.lock().tryAcquire("purge", LONG).orElseThrow();
        assertThat(hasLock("purge")).isTrue();

        line.goDown();

        await().atMost(LONG).until(() -> !hasLock("purge"));
        line.comeBack();
        assertThat(held.renew()).isFalse();
        held.close();
    }

    @Test
    void whoeverWaitsLooksAgainAfterALostConnection() throws Exception {
        try (Leat leat = Leat.builder("").storage(remote).open()) {
            CompletableFuture<List<TakenTask>> waiting = leat.takeAsync(List.of(TakeRequest.from(Q)), LONG);
            line.goDown();
            behind.put(Q, "meanwhile");
            line.comeBack();

            assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        }
    }

    @Test
    void aNoticeGoesToTheOtherClients() {
        ConcurrentLinkedQueue<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Storage other = open(server.port())) {
            other.now();
            try (Registration listening = other.signal().listen(heard::add)) {
                remote.signal().send(new Notice.Ready("elsewhere"));
                await().atMost(LONG).until(() -> heard.contains(new Notice.Ready("elsewhere")));
            }
        }
    }

    // Workers

    /** Who waits for a task, as the server of nsj-queue-lib knew it too, where there were places for fifty. */
    @Test
    void idleWorkersAreKnownAndSpokenToFirst() throws Exception { // N49
        List<Leat> workers = new ArrayList<>();
        try {
            for (int i = 0; i < 60; i++) {
                workers.add(Leat.builder("http://127.0.0.1:" + server.port())
                        .heartbeat(Duration.ofMillis(500), Duration.ofSeconds(15))
                        .open());
            }
            List<CompletableFuture<List<TakenTask>>> idle =
                    workers.stream().map(ConnectionTest::waitForTask).toList();
            awaitIdle(60);

            long id = behind.put(Q, "task");

            List<TakenTask> taken = CompletableFuture.anyOf(idle.toArray(CompletableFuture[]::new))
                    .thenApply(any -> doneOf(idle))
                    .get(LONG.toSeconds(), TimeUnit.SECONDS);
            assertThat(taken).extracting(TakenTask::id).containsExactly(id);
            awaitIdle(59);
            assertThat(idle).filteredOn(CompletableFuture::isDone).hasSize(1);
        } finally {
            workers.forEach(Leat::close);
        }
        awaitIdle(0);
    }

    private static CompletableFuture<List<TakenTask>> waitForTask(Leat worker) {
        return worker.takeAsync(List.of(TakeRequest.from(Q)), Duration.ofMinutes(5));
    }

    private static List<TakenTask> doneOf(List<CompletableFuture<List<TakenTask>>> waiting) {
        return waiting.stream()
                .filter(CompletableFuture::isDone)
                .flatMap(done -> done.join().stream())
                .toList();
    }

    private void awaitIdle(int workers) {
        await().atMost(LONG).until(() -> behind.queue(Q).stats().consumers() == workers);
    }

    @Test
    void aWorkerThatIsDoneWithItsTaskIsIdleAgainAndOneThatHaltsIsForgotten() throws Exception { // N49, N53
        try (Leat worker = Leat.builder("")
                .storage(remote)
                .heartbeat(Duration.ofMillis(500), Duration.ofSeconds(15))
                .open()) {
            CompletableFuture<List<TakenTask>> first = waitForTask(worker);
            awaitIdle(1);
            behind.put(Q, "first");
            worker.ack(first.get(LONG.toSeconds(), TimeUnit.SECONDS).get(0));
            awaitIdle(0);

            CompletableFuture<List<TakenTask>> second = waitForTask(worker);

            awaitIdle(1);
            assertThat(second).isNotDone();
        }
        awaitIdle(0);
    }

    // Servers that are not there

    @Test
    void aClientMayStartBeforeItsServer() throws Exception { // O36
        int port = FreePort.find();
        try (Storage early = open(port)) {
            CompletableFuture<Long> put = CompletableFuture.supplyAsync(
                    () -> early.put(List.of(NewTask.to(Q).build())).get(0).id());
            try (LeatServer late =
                    LeatServer.start(behind, ServerOptions.builder().port(port).build())) {
                long id = put.get(LONG.toSeconds(), TimeUnit.SECONDS);
                assertThat(behind.peek(id)).isPresent();
            }
        }
    }

    @Test
    void aServerThatCannotBeReachedIsNamedWhenPatienceEnds() {
        int port = FreePort.find();
        try (Storage lonely = Storages.open(
                "http://127.0.0.1:" + port + "?patience=100ms&token=secret", StorageSettings.standard())) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> lonely.queues().list())
                    .withMessageContaining("http://127.0.0.1:" + port + " cannot be reached")
                    .withMessageNotContaining("secret");
        }
    }

    @Test
    void aClosedStorageSaysSo() {
        remote.close();

        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> remote.queues().list());
    }

    // Those who wait

    @Test
    void whoWaitsForATaskIsToldOfAnEndThatCameWhileTheLineWasDown() throws Exception {
        long id = behind.put(Q, "a");
        try (Leat leat = Leat.builder("").storage(remote).open()) {
            CompletableFuture<Awaited> waiting = leat.outcomes().awaitAsync(id, Duration.ofMinutes(1));
            assertThat(leat.outcomes().await(id, Duration.ZERO)).isEqualTo(new Awaited.TimedOut(id));
            line.goDown();
            behind.delete(id);

            line.comeBack();

            assertThat(waiting.get(20, TimeUnit.SECONDS).ended())
                    .map(Outcome::state)
                    .contains(TaskState.CANCELED);
        }
    }
}
