package dev.leat.storagetests.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.leat.Awaited;
import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.Faults;
import dev.leat.worker.PriorityLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Programs of rsqueue's, as they are written here: what they use together, where other contracts look at one thing. Covers R5, R7, R14, R16,
 * R18, R22-R24, R33-R38, R.3-1, R.3-5.
 */
public abstract class RsqueueContract extends WorkerTest {
    private static final String A = "page-7";

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void configure() {
        leat.queue(Q).declare(QueueOptions.rsqueue());
    }

    private static NewTask.Builder job(String payload) {
        return task().type("job").payload(payload);
    }

    private static NewTask closing(String type, String payload) {
        return task().type(type).payload(payload).build();
    }

    private boolean isIn(Gate gate, long id) {
        return gate.inside().stream().anyMatch(running -> running.id() == id);
    }

    @Test
    void whatItsQueueOffersIsThere() throws Exception { // R5, R7, R10, R12, R13, R14, R16, R21
        Group group = leat.createGroup(GroupSpec.named("pages"));
        long pushed = put(job("pushed").priority(1).group(group.id()));
        PutResult addressed = leat.put(task().type("page").address(A).build());
        long unwanted = put(task().type("sweep"));

        assertThat(leat.putAddressed(Q, A, "newer").created()).isFalse();
        assertThat(leat.findAddress(Q, A)).hasValue(addressed.id());
        TakenTask taken =
                leat.take(one().maxPriority(0).types(Set.of("job", "page"))).get(0);
        assertThat(taken.id()).isEqualTo(addressed.id());
        assertThat(leat.list(TaskQuery.of(Q).type("page")))
                .extracting(Task::id, Task::state)
                .containsExactly(tuple(taken.id(), TaskState.TAKEN));

        CompletableFuture<Awaited> polling = leat.outcomes().awaitAsync(addressed.id(), LONG);
        leat.settle(new Settle.Fail(taken.lease(), "no such page", 404));
        assertThat(polling.get(20, TimeUnit.SECONDS))
                .isEqualTo(new Awaited.Ended(
                        new Outcome(taken.id(), TaskState.FAILED, "no such page", 404, Optional.empty())));
        assertThat(leat.findAddress(Q, A)).isEmpty();

        leat.delete(unwanted);
        assertThat(leat.list(TaskQuery.of(Q))).extracting(Task::id).containsExactly(pushed);
        Task waiting = peek(pushed);
        assertThat(waiting.state()).isEqualTo(TaskState.WAITING);
        assertThat(waiting.priority()).isEqualTo(1);
        assertThat(waiting.group()).hasValue(group.id());
        assertThat(waiting.payload()).isEqualTo(Payload.of("pushed"));
        assertThat(leat.queue(Q).name()).isEqualTo(Q);
    }

    // Agents

    @Test
    void aHandlerMayRunForLongerThanASessionMayBeSilent() { // R18, R24
        Duration deadAfter = Duration.ofSeconds(3);
        Faults faults = new Faults();
        Leat own = open(Leat.builder("").storage(faults.between(storage)).heartbeat(Duration.ofMillis(50), deadAfter));
        Gate gate = new Gate();
        own.worker().handle(Q, String.class, gate).start();
        long id = put("long");
        gate.awaitInside(1);
        Instant started = storage.now();

        faults.set(Faults.Line.DOWN, "sessions.heartbeat");
        int heartbeats = faults.calls("sessions.heartbeat");
        await("a heartbeat to fail", () -> faults.calls("sessions.heartbeat") > heartbeats);
        faults.set(Faults.Line.WORKS);
        await("it to run for long", () -> storage.now()
                .isAfter(started.plus(deadAfter).plusSeconds(1)));

        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        gate.openForGood();
        awaitState(id, TaskState.DONE);
        assertThat(peek(id).attempts()).isEqualTo(1);
        assertThat(gate.interrupted()).isEmpty();
    }

    @Test
    void withSevenRunningOnlyTheMostImportantStart() { // R22, R23, R.3-5
        Gate gate = new Gate();
        worker(gate).priorityLimits(PriorityLimits.of(Map.of(0, 10, 1, 5))).start();
        IntStream.range(0, 7).forEach(i -> put(task().priority(0)));
        gate.awaitInside(7);

        long lessImportant = put(task().priority(1));
        long leastImportant = put(task().priority(9));
        IntStream.range(0, 2).forEach(i -> put(task().priority(0)));
        gate.awaitInside(9);
        assertThat(state(lessImportant)).isEqualTo(TaskState.READY);

        gate.open(4);
        put(task().priority(0));
        gate.awaitInside(6);
        assertThat(state(lessImportant)).isEqualTo(TaskState.READY);

        gate.open(2);
        gate.awaitInside(5);
        assertThat(isIn(gate, lessImportant)).isTrue();
        assertThat(state(leastImportant)).isEqualTo(TaskState.READY);

        gate.openForGood();
        awaitState(leastImportant, TaskState.DONE);
    }

    // Groups

    @Test
    void aGroupRunsAndEndsInAWorkerWithOnePlace() throws Exception { // R32, R33, R37, R38
        leat.worker()
                .handle(Q, "job", String.class, (payload, task) -> ran.add(payload))
                .handle(Q, "publish", String.class, (payload, task) -> ran.add("publish " + payload))
                .concurrency(1)
                .start();
        Group group = leat.createGroup(GroupSpec.named("book").end(closing("publish", "the book")));
        put(job("second").priority(1).group(group.id()));
        put(job("first").group(group.id()));
        assertThat(leat.outcomes().await(put(job("other").priority(5)), LONG).ended())
                .map(Outcome::ok)
                .contains(true);
        assertThat(ran).as("before the start").containsExactly("other");

        group.start();

        await("the end", () -> group.info().state() == GroupInfo.State.COMPLETED);
        leat.outcomes().await(group.info().closingTask().orElseThrow(), LONG);
        assertThat(ran).containsExactly("other", "first", "second", "publish the book");
        assertThat(leat.group("book")).as("a group that has not ended").isEmpty();
    }

    @Test
    void anEndTaskThatNobodyHandlesWaitsForWhoDoes() { // R37
        Group group = leat.createGroup(GroupSpec.named("book").end(closing("publish", "the book")));
        long last = put(job("job").group(group.id()));
        leat.worker()
                .handle(Q, "job", String.class, (payload, task) -> ran.add(payload))
                .start();
        group.start();
        awaitState(last, TaskState.DONE);
        await("the end", () -> group.info().state() == GroupInfo.State.COMPLETED);
        awaitState(put(job("another")), TaskState.DONE);
        long end = group.info().closingTask().orElseThrow();
        assertThat(state(end)).isEqualTo(TaskState.READY);

        leat.worker()
                .handle(Q, "publish", String.class, (payload, task) -> ran.add("publish " + payload))
                .start();

        awaitState(end, TaskState.DONE);
        assertThat(ran).containsExactly("job", "another", "publish the book");
        assertThat(peek(end).attempts()).isEqualTo(1);
    }

    @Test
    void aJobThatFailsEndsItsGroupWithTheAbortTask() throws Exception { // R35, R36, R.3-1
        Group group = leat.createGroup(GroupSpec.named("book")
                .onFailure(GroupSpec.OnFailure.CANCEL_GROUP)
                .end(closing("publish", "the book"))
                .abort(closing("clean", "the desk")));
        long failing = put(job("failing").group(group.id()));
        List<Long> others = IntStream.range(0, 5)
                .mapToObj(i -> put(job("other")
                        .address("chapter " + i)
                        .delay(Duration.ofHours(1))
                        .group(group.id())))
                .toList();
        CompletableFuture<Awaited> polling = leat.outcomes().awaitAsync(others.get(4), LONG);
        leat.worker()
                .handle(Q, "job", String.class, (payload, task) -> {
                    ran.add(payload);
                    task.fail("no paper", 507);
                })
                .handle(Q, "publish", String.class, (payload, task) -> ran.add("publish " + payload))
                .handle(Q, "clean", String.class, (payload, task) -> ran.add("clean " + payload))
                .start();

        group.start();

        await("the end", () -> group.info().state().isEnded());
        leat.outcomes().await(group.info().closingTask().orElseThrow(), LONG);
        assertThat(group.info().state()).isEqualTo(GroupInfo.State.FAILED);
        assertThat(ran).containsExactly("failing", "clean the desk");
        assertThat(leat.outcomes().find(failing))
                .contains(new Outcome(failing, TaskState.FAILED, "no paper", 507, Optional.empty()));
        assertThat(others).allSatisfy(id -> assertThat(state(id)).isEqualTo(TaskState.CANCELED));
        assertThat(polling.get(20, TimeUnit.SECONDS).ended())
                .map(Outcome::state)
                .contains(TaskState.CANCELED);
    }
}
