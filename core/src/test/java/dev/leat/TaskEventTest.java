package dev.leat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.TaskEvent.Kind;
import dev.leat.internal.memory.MemoryStorage;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What listeners hear of each operation, by the methods of {@link Leat} and by its storage. */
class TaskEventTest {
    private static final String Q = "q";

    private final Leat leat = Leat.open("memory:");
    private final List<TaskEvent> heard = new ArrayList<>();

    @BeforeEach
    void setUp() {
        leat.queue(Q).create(QueueOptions.standard());
    }

    @AfterEach
    void close() {
        leat.close();
    }

    static Stream<Arguments> operations() {
        return Stream.of(
                of("put", leat -> leat.put(Q, "x"), Kind.PUT),
                of("put twice with an idempotency key", TaskEventTest::putTwice, Kind.PUT),
                of("workflow", leat -> leat.workflow("w").task("a", task()).start(), Kind.PUT),
                of("take", TaskEventTest::take, Kind.PUT, Kind.TAKE),
                of("take nothing", leat -> leat.take(Q)),
                of("ack", leat -> leat.ack(take(leat)), Kind.PUT, Kind.TAKE, Kind.ACK),
                of("ack twice", TaskEventTest::ackTwice, Kind.PUT, Kind.TAKE, Kind.ACK),
                of("fail", leat -> leat.fail(take(leat), "no"), Kind.PUT, Kind.TAKE, Kind.FAIL),
                of("retry", leat -> leat.retry(take(leat), When.now(), "no"), Kind.PUT, Kind.TAKE, Kind.FAIL),
                of("release", leat -> leat.release(take(leat), Duration.ZERO), Kind.PUT, Kind.TAKE, Kind.RELEASE),
                of("give back", TaskEventTest::giveBack, Kind.PUT, Kind.TAKE, Kind.RELEASE),
                of("bury taken", leat -> leat.bury(take(leat), "no"), Kind.PUT, Kind.TAKE, Kind.BURY),
                of("cancel taken", TaskEventTest::settleAsCanceled, Kind.PUT, Kind.TAKE, Kind.DELETE),
                of("touch", TaskEventTest::touch, Kind.PUT, Kind.TAKE, Kind.TOUCH),
                of("touch without a limit", TaskEventTest::touchUnlimited, Kind.PUT, Kind.TAKE),
                of("delete", leat -> leat.delete(leat.put(Q, "x")), Kind.PUT, Kind.DELETE),
                of("delete twice", TaskEventTest::deleteTwice, Kind.PUT, Kind.DELETE),
                of("cancel", leat -> leat.cancel(leat.put(Q, "x"), "no"), Kind.PUT, Kind.DELETE),
                of("bury", TaskEventTest::buried, Kind.PUT, Kind.BURY),
                of("kick", leat -> leat.kick(buried(leat)), Kind.PUT, Kind.BURY, Kind.KICK),
                of("kick a queue", TaskEventTest::kickQueue, Kind.PUT, Kind.BURY, Kind.KICK),
                of("redrive", TaskEventTest::redrive, Kind.PUT, Kind.BURY, Kind.KICK),
                of("close a session", TaskEventTest::closeSession, Kind.PUT, Kind.TAKE, Kind.LOST));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void listenersHearEachChangeOnce(String name, Consumer<Leat> operation, List<Kind> kinds) {
        leat.onTaskChange(heard::add);

        operation.accept(leat);

        assertThat(heard).as(name).extracting(TaskEvent::kind).isEqualTo(kinds);
        assertThat(heard).as(name).extracting(TaskEvent::queue).allMatch(Q::equals);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void changesAreCountedWithoutListeners(String name, Consumer<Leat> operation, List<Kind> kinds) {
        operation.accept(leat);

        for (Kind kind : Kind.values()) {
            long times = kinds.stream().filter(kind::equals).count();
            assertThat(leat.queue(Q).calls().count(kind)).as(name + ": " + kind).isEqualTo(times);
        }
    }

    @Test
    void anEventSaysWhatHasBecomeOfTheTask() {
        leat.onTaskChange(heard::add);

        long id = leat.put(Q, "x");
        leat.storage().bury(id, "by code that uses the storage");

        assertThat(heard)
                .containsExactly(
                        new TaskEvent(Kind.PUT, Q, id, TaskState.READY),
                        new TaskEvent(Kind.BURY, Q, id, TaskState.BURIED));
    }

    @Test
    void theStorageCanBeUnwrapped() {
        Storage storage = leat.storage();

        assertThat(storage.unwrap(Storage.class)).contains(storage);
        assertThat(storage.unwrap(MemoryStorage.class)).isPresent();
        assertThat(storage.unwrap(String.class)).isEmpty();
    }

    private static Arguments of(String name, Consumer<Leat> operation, Kind... kinds) {
        return Arguments.of(name, operation, List.of(kinds));
    }

    private static NewTask task() {
        return NewTask.to(Q).build();
    }

    private static TakenTask take(Leat leat) {
        leat.put(Q, "x");
        return leat.take(Q).orElseThrow();
    }

    private static long buried(Leat leat) {
        long id = leat.put(Q, "x");
        leat.bury(id, "no");
        return id;
    }

    private static void putTwice(Leat leat) {
        NewTask task = NewTask.to(Q).idempotencyKey("k").build();
        leat.put(task);
        leat.put(task);
    }

    private static void ackTwice(Leat leat) {
        TakenTask taken = take(leat);
        leat.ack(taken);
        leat.ack(taken);
    }

    private static void giveBack(Leat leat) {
        leat.settle(Settle.giveBack(take(leat).lease()));
    }

    private static void settleAsCanceled(Leat leat) {
        leat.settle(Settle.cancel(take(leat).lease(), "no"));
    }

    private static void touch(Leat leat) {
        leat.put(Q, "x");
        TakenTask taken =
                leat.take(TakeRequest.from(Q).ttr(Duration.ofMinutes(1))).get(0);
        leat.touch(taken.lease(), Duration.ofMinutes(1));
    }

    private static void touchUnlimited(Leat leat) {
        leat.touch(take(leat).lease(), Duration.ofMinutes(1));
    }

    private static void deleteTwice(Leat leat) {
        long id = leat.put(Q, "x");
        leat.delete(id);
        leat.delete(id);
    }

    private static void kickQueue(Leat leat) {
        buried(leat);
        leat.queue(Q).kick(10);
    }

    private static void redrive(Leat leat) {
        buried(leat);
        leat.deadLetters().redrive(TaskQuery.of(Q));
    }

    private static void closeSession(Leat leat) {
        leat.put(Q, "x");
        String session = leat.storage().sessions().open(SessionSpec.named("s"));
        leat.take(TakeRequest.from(Q).session(session));
        leat.storage().sessions().close(session);
    }
}
