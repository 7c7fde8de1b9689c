package dev.leat.server.remote;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.Registration;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.server.LeatServer;
import dev.leat.server.ServerOptions;
import dev.leat.sql.TestDatabase;
import dev.leat.sql.fault.CuttingProxy;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.storagetests.server.FreePort;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server carries notices between processes that use a database without any, and keeps their locks. Covers N48, N50, N51, N52.
 */
@Tag("engine")
class CoordinationTest {
    private static final String Q = "q";
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration FOR_EVER = Duration.ofHours(1);

    private static TestDatabase database;

    private Leat behind;
    private LeatServer server;
    private CuttingProxy line;
    private Leat here;
    private Leat there;

    @BeforeAll
    static void makeDatabase() {
        database = TestDatabase.mariaDb().with("portable=true");
        try (Storage storage = database.open()) {
            storage.queues().create(Q, QueueOptions.standard());
        }
    }

    @BeforeEach
    void open() {
        behind = Leat.open("memory:");
        server = serve(0);
        line = new CuttingProxy(server.port());
        here = open(line.port());
        there = open(server.port());
        awaitConnection(here);
        awaitConnection(there);
    }

    private LeatServer serve(int port) {
        return LeatServer.start(behind, ServerOptions.builder().port(port).build());
    }

    private static Leat open(int port) {
        return Leat.open(database.with("signals=http://127.0.0.1:" + port).leatUrl());
    }

    /** A lock waits for it. */
    private static void awaitConnection(Leat leat) {
        lock(leat, "connected").ifPresent(Lock.Held::close);
    }

    private static Optional<Lock.Held> lock(Leat leat, String name) {
        return leat.storage().lock().tryAcquire(name, FOR_EVER);
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        line.close();
        server.close();
        behind.close();
    }

    // Notices

    @Test
    void whatHappensIsToldByTheServer() { // N48
        assertIsTold(there, here);
    }

    /** Whoever only looks at the database never tells of an empty queue. */
    private static void assertIsTold(Leat from, Leat to) {
        String empty = "empty-" + System.nanoTime();
        from.queue(empty).create(QueueOptions.standard());
        Collection<Notice> heard = new ConcurrentLinkedQueue<>();
        try (Registration listening = to.storage().signal().listen(heard::add)) {
            from.queue(empty).resume();

            await().atMost(LONG).until(() -> heard.contains(new Notice.Ready(empty)));
        }
    }

    @Test
    void aPutWakesWhoWaitsElsewhere() throws Exception { // N50
        assertPutWakes(there, here);
    }

    // Locks

    @Test
    void locksExcludeEachOther() { // N52, N53
        Lock.Held held = lock(here, "purge").orElseThrow();
        assertThat(lock(there, "purge")).isEmpty();
        assertThat(held.renew()).isTrue();

        held.close();

        assertThat(lock(there, "purge")).isPresent();
    }

    @Test
    void aLostConnectionFreesItsLocksAtOnce() { // N51
        Lock.Held held = lock(here, "purge").orElseThrow();

        line.goDown();

        await().atMost(LONG).until(() -> lock(there, "purge").isPresent());
        line.comeBack();
        assertThat(held.renew()).isFalse();
    }

    @Test
    void aStorageThatIsClosedLeavesNoLocks() { // N53
        assertThat(lock(here, "purge")).isPresent();

        here.close();

        await().atMost(LONG).until(() -> lock(there, "purge").isPresent());
    }

    @Test
    void aLockIsFreeWhenItIsReleasedOrItsTimeIsOver() { // N53
        Lock.Held released = lock(here, "retry").orElseThrow();
        assertThat(here.storage().lock().tryAcquire("notify", Duration.ofMillis(300)))
                .isPresent();
        assertThat(lock(there, "retry")).isEmpty();

        released.close();

        assertThat(lock(there, "retry")).isPresent();
        await().atMost(LONG).until(() -> lock(there, "notify").isPresent());
    }

    @Test
    void theTextsOfNsjQueueLibAreRefusedAndHarmNobody() throws Exception { // N53
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(Math.toIntExact(LONG.toMillis()));
            socket.getOutputStream().write("try_lock(1)###END###\r\n\r\n".getBytes(US_ASCII));

            String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);

            assertThat(answer).contains(" 400 Bad Request");
        }
        assertThat(lock(there, "1")).isPresent();
    }

    // Servers that are not there

    @Test
    void whileTheServerIsAwayWhoWaitsIsWokenByLooking() throws Exception { // N53
        int port = server.port();
        server.close();

        assertPutWakes(there, here);

        server = serve(port);
        awaitConnection(here);
        awaitConnection(there);
        assertIsTold(there, here);
    }

    @Test
    void aDatabaseMayBeOpenedBeforeTheServerIsThere() throws Exception {
        int port = FreePort.find();
        try (Leat early = open(port);
                Leat other = open(port)) {
            assertPutWakes(early, other);

            try (LeatServer late = serve(port)) {
                awaitConnection(early);
                awaitConnection(other);
                assertIsTold(early, other);
            }
        }
    }

    private static void assertPutWakes(Leat from, Leat to) throws Exception {
        CompletableFuture<List<TakenTask>> waiting = to.takeAsync(List.of(TakeRequest.from(Q)), LONG);
        from.put(Q, "task");
        assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
    }
}
