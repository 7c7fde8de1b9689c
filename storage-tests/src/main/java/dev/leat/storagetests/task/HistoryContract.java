package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Thrown;
import dev.leat.When;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.storagetests.ContractTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What remains of attempts and of finished tasks, and for how long. Covers N13-N15, N18, N26, N43, C25, rule 9, 20.
 */
public abstract class HistoryContract extends ContractTest {
    private static final String H = "h";

    /** A queue of single attempts, ten seconds apart when there are more, with this retention. */
    private void createQueue(Retention retention) {
        createQueue(retention, 1);
    }

    private void createQueue(Retention retention, int maxFailures) {
        storage.queues()
                .create(
                        H,
                        QueueOptions.builder()
                                .retry(RetryPolicy.standard()
                                        .maxFailures(maxFailures)
                                        .backoff(Backoff.fixed(seconds(10))))
                                .exhaustion(Exhaustion.FAIL)
                                .retention(retention)
                                .build());
    }

    private static NewTask.Builder toH() {
        return NewTask.to(H).payload("precious");
    }

    private TakenTask takeH() {
        return take(TakeRequest.from(H)).get(0);
    }

    private static Duration days(long days) {
        return Duration.ofDays(days);
    }

    /** A task in each finished state, all ended now. */
    private Map<TaskState, Long> oneInEachFinishedState() {
        Map<TaskState, Long> ids = new EnumMap<>(TaskState.class);
        ids.put(TaskState.EXPIRED, put(toH().ttl(seconds(1))).id());
        advance(seconds(1));
        ids.put(TaskState.DONE, put(toH()).id());
        ack(takeH().lease());
        ids.put(TaskState.FAILED, put(toH()).id());
        settle(Settle.fail(takeH().lease(), "broken"));
        ids.put(TaskState.CANCELED, put(toH()).id());
        storage.delete(ids.get(TaskState.CANCELED));
        return ids;
    }

    private Set<TaskState> known(Map<TaskState, Long> ids) {
        Set<TaskState> known = EnumSet.noneOf(TaskState.class);
        ids.forEach((state, id) -> storage.peek(id).ifPresent(task -> {
            assertThat(task.state()).isEqualTo(state);
            known.add(state);
        }));
        return known;
    }

    // Attempts

    @Test
    void aTaskThatWasNeverTakenHasNoAttempts() {
        assertThat(storage.attempts(put("a"))).isEmpty();
    }

    @Test
    void aSuccessfulAttemptIsInTheTaskAndNotInItsHistory() { // rule 20
        long id = put("a");

        settle(new Settle.Ack(take().lease(), "sent", Optional.of(Payload.of("receipt"))));

        assertThat(storage.attempts(id)).isEmpty();
        assertThat(peek(id).attempts()).isEqualTo(1);
        assertThat(peek(id).message()).contains("sent");
        assertThat(peek(id).result()).contains(Payload.of("receipt"));
        assertThat(peek(id).finished()).contains(now());
    }

    @Test
    void aFailedAttemptKeepsTheExceptionThatEndedIt() {
        createQueue(Retention.standard(), 2);
        long id = put(toH()).id();
        Throwable failure = new IllegalStateException("no räum 🚪", new IOException("closed"));

        settle(Settle.fail(takeH().lease(), failure));

        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.message()).isEqualTo("java.lang.IllegalStateException: no räum 🚪");
            assertThat(attempt.thrown()).contains(Thrown.of(failure));
            assertThat(attempt.thrown().orElseThrow().stackTrace())
                    .contains("at " + HistoryContract.class.getName(), "Caused by: java.io.IOException: closed");
        });
    }

    @Test
    void theLastFailureOfATaskThatIsGivenUpKeepsItsException() {
        createQueue(Retention.standard(), 1);
        long id = put(toH()).id();

        settle(Settle.fail(takeH().lease(), new IllegalStateException("no")));

        assertThat(peek(id).state()).isEqualTo(TaskState.FAILED);
        assertThat(storage.attempts(id))
                .extracting(attempt -> attempt.thrown().map(Thrown::exception))
                .containsExactly(Optional.of("java.lang.IllegalStateException"));
    }

    @Test
    void aFailureThatWasOnlyToldHasAMessageAndNoException() {
        createQueue(Retention.standard(), 2);
        long id = put(toH()).id();

        settle(Settle.fail(takeH().lease(), "no"));

        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.message()).isEqualTo("no");
            assertThat(attempt.thrown()).isEmpty();
        });
    }

    @Test
    void anythingThatIsSaidCanBeKeptAndIsCutAtFourKilobytes() {
        createQueue(Retention.standard(), 2);
        long id = put(toH()).id();

        settle(Settle.fail(takeH().lease(), new IllegalStateException("\0 and \ud83d" + "🚪".repeat(100_000))));

        String start = "java.lang.IllegalStateException: \ufffd and \ufffd🚪🚪";
        assertThat(peek(id).message().orElseThrow()).startsWith(start).endsWith("🚪…");
        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.message()).startsWith(start).endsWith("🚪…");
            assertThat(attempt.message().getBytes(StandardCharsets.UTF_8)).hasSizeBetween(4_090, 4_096);
            assertThat(attempt.thrown().orElseThrow().stackTrace()).startsWith(start);
        });
    }

    @Test
    void aFailedAttemptTellsWhoFailedWhenAndWhy() { // N18, N26
        createQueue(Retention.standard(), 2);
        long id = put(toH()).id();
        TakenTask taken = takeH();
        advance(seconds(3));

        settle(Settle.fail(taken.lease(), "mail server is down"));

        assertThat(storage.attempts(id))
                .containsExactly(new Attempt(
                        1,
                        now().minus(seconds(3)),
                        now(),
                        Attempt.Outcome.FAILED,
                        "mail server is down",
                        Optional.of(session),
                        Optional.of(now().plus(seconds(10)))));
    }

    @Test
    void theLastAttemptHasNoNextTime() {
        createQueue(Retention.standard());
        long id = put(toH()).id();

        settle(new Settle.Fail(takeH().lease(), "broken", 42));

        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(Attempt.Outcome.FAILED);
            assertThat(attempt.nextDue()).isEmpty();
        });
        assertThat(peek(id).message()).contains("broken");
        assertThat(peek(id).errorCode()).isEqualTo(42);
    }

    @Test
    void attemptsAreNumberedAndListedInTheirOrder() {
        long id = put("a");
        settle(Settle.retry(take().lease(), When.now(), "first"));
        settle(Settle.release(take().lease()));
        settle(Settle.retry(take().lease(), When.in(seconds(5)), "third"));
        advance(seconds(5));
        storage.take(TakeRequest.from(Q).ttr(seconds(2)));
        advance(seconds(2));
        settle(Settle.bury(take().lease(), "fifth"));

        List<Attempt> attempts = storage.attempts(id);

        assertThat(attempts).extracting(Attempt::number).containsExactly(1, 2, 3, 4, 5);
        assertThat(attempts)
                .extracting(Attempt::outcome)
                .containsExactly(
                        Attempt.Outcome.FAILED,
                        Attempt.Outcome.RELEASED,
                        Attempt.Outcome.FAILED,
                        Attempt.Outcome.LOST,
                        Attempt.Outcome.BURIED);
        assertThat(attempts.get(0).message()).isEqualTo("first");
        assertThat(attempts.get(2).message()).isEqualTo("third");
        assertThat(attempts.get(4).message()).isEqualTo("fifth");
        assertThat(peek(id).attempts()).isEqualTo(5);
    }

    @Test
    void aRetryTellsTheTimeTheCallerWanted() {
        long id = put("a");

        settle(Settle.retry(take().lease(), When.in(minutes(7)), "later"));

        assertThat(storage.attempts(id).get(0).nextDue()).contains(now().plus(minutes(7)));
        assertThat(peek(id).due()).isEqualTo(now().plus(minutes(7)));
    }

    @Test
    void aLostAttemptSaysWhy() {
        long id = put("a");
        take();

        storage.sessions().close(session);

        assertThat(storage.attempts(id)).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo(Attempt.Outcome.LOST);
            assertThat(attempt.message()).isNotBlank();
            assertThat(attempt.session()).contains(session);
            assertThat(attempt.nextDue()).contains(now());
        });
    }

    @Test
    void anAttemptWithoutASessionNamesNone() {
        long id = put("a");
        Lease lease = storage.take(TakeRequest.from(Q)).get(0).lease();

        settle(Settle.fail(lease, "broken"));

        assertThat(storage.attempts(id)).extracting(Attempt::session).containsExactly(Optional.empty());
    }

    @Test
    void aDeliveryThatWasGivenBackIsNoAttempt() {
        long id = put("a");
        settle(Settle.giveBack(take().lease()));
        assertThat(storage.attempts(id)).isEmpty();

        settle(Settle.fail(take().lease(), "broken"));

        assertThat(storage.attempts(id)).extracting(Attempt::number).containsExactly(1);
    }

    @Test
    void aRepeatedSettleIsNoSecondAttempt() { // rule 9
        long id = put("a");
        Lease lease = take().lease();

        settle(Settle.fail(lease, "broken"));
        settle(Settle.fail(lease, "broken"));

        assertThat(storage.attempts(id)).hasSize(1);
        assertThat(peek(id).failures()).isEqualTo(1);
    }

    @Test
    void theAttemptsOfAnUnknownTaskAreAnError() {
        long unknown = put("a") + 1_000_000;

        assertThatExceptionOfType(TaskNotFoundException.class).isThrownBy(() -> storage.attempts(unknown));
    }

    @Test
    void aTakeTellsWhatHasBecomeOfTheTaskBefore() {
        createQueue(Retention.standard(), 10);
        long group = storage.groups().create(GroupSpec.named("g")).id();
        long id = put(toH().group(group)).id();
        storage.groups().start(group);
        for (int i = 0; i < 2; i++) {
            String session = storage.sessions().open(SessionSpec.named("gone"));
            storage.take(TakeRequest.from(H).session(session));
            storage.sessions().close(session);
            advance(seconds(10));
        }
        for (int i = 0; i < 3; i++) {
            settle(Settle.release(takeH().lease()));
        }
        settle(new Settle.Fail(takeH().lease(), "broken", 7));
        advance(seconds(10));

        Task taken = takeH().task();

        assertThat(taken.failures()).isEqualTo(1);
        assertThat(taken.losses()).isEqualTo(2);
        assertThat(taken.releases()).isEqualTo(3);
        assertThat(taken.message()).isEqualTo(peek(id).message()).contains("broken");
        assertThat(taken.errorCode()).isEqualTo(7);
        assertThat(taken.group()).hasValue(group);
        assertThat(taken.previousDue()).isEqualTo(peek(id).previousDue());
    }

    // Retention

    @Test
    void eachFinishedStateHasARetentionOfItsOwn() { // rule 20
        createQueue(new Retention(days(2), days(4), days(6), days(8), Retention.DonePayload.DROP));
        Map<TaskState, Long> ids = oneInEachFinishedState();

        advance(days(1));
        assertThat(known(ids)).isEqualTo(TaskState.finished());
        advance(days(2));
        assertThat(known(ids)).containsOnly(TaskState.FAILED, TaskState.EXPIRED, TaskState.CANCELED);
        advance(days(2));
        assertThat(known(ids)).containsOnly(TaskState.EXPIRED, TaskState.CANCELED);
        advance(days(2));
        assertThat(known(ids)).containsOnly(TaskState.CANCELED);
        advance(days(2));
        assertThat(known(ids)).isEmpty();
    }

    @Test
    void aRetentionOfZeroForgetsFinishedTasksAtOnce() {
        createQueue(Retention.none());

        Map<TaskState, Long> ids = oneInEachFinishedState();

        assertThat(known(ids)).isEmpty();
        assertThat(storage.list(TaskQuery.of(H).states(TaskState.finished()))).isEmpty();
    }

    @Test
    void retentionCountsFromTheEndAndNotFromThePut() {
        createQueue(Retention.all(days(2)));
        long id = put(toH()).id();
        advance(days(5));
        ack(takeH().lease());

        advance(days(1));

        assertThat(state(id)).isEqualTo(TaskState.DONE);
    }

    @Test
    void aTaskIsKeptAsItsQueueSaysWhenItEnds() {
        createQueue(Retention.none());
        long kept = put(toH()).id();
        Lease lease = takeH().lease();
        declareRetention(Retention.standard());
        ack(lease);
        assertThat(state(kept)).isEqualTo(TaskState.DONE);

        long forgotten = put(toH()).id();
        lease = takeH().lease();
        declareRetention(Retention.none());
        ack(lease);
        assertThat(storage.peek(forgotten)).isEmpty();
    }

    private void declareRetention(Retention retention) {
        storage.queues().declare(H, QueueOptions.builder().retention(retention).build(), QueueInfo.SetBy.CODE);
    }

    @Test
    void aForgottenTaskHasNoAttemptsAnyMore() {
        createQueue(Retention.all(days(1)));
        long id = put(toH()).id();
        settle(Settle.fail(takeH().lease(), "broken"));

        advance(days(3));

        assertThatExceptionOfType(TaskNotFoundException.class).isThrownBy(() -> storage.attempts(id));
    }

    @Test
    void onlyADoneTaskDropsItsPayload() { // rule 20
        createQueue(Retention.standard());

        oneInEachFinishedState().forEach((state, id) -> {
            Payload expected = state == TaskState.DONE ? Payload.empty() : Payload.of("precious");
            assertThat(peek(id).payload().bytes()).as("%s", state).isEqualTo(expected.bytes());
        });
    }

    @Test
    void aDoneTaskKeepsItsPayloadWhenAsked() { // rule 20, N15
        createQueue(Retention.standard().donePayload(Retention.DonePayload.KEEP));
        long id = put(toH()).id();

        ack(takeH().lease());

        assertThat(peek(id).payload()).isEqualTo(Payload.of("precious"));
    }

    @Test
    void aLiveTaskAndItsPayloadAreNeverForgotten() { // C25
        createQueue(Retention.none(), RetryPolicy.UNLIMITED);
        long group = storage.groups().create(GroupSpec.named("unstarted")).id();
        Map<TaskState, Long> ids = new EnumMap<>(TaskState.class);
        ids.put(TaskState.TAKEN, put(toH()).id());
        Lease lease = takeH().lease();
        ids.put(TaskState.BURIED, put(toH()).id());
        settle(Settle.bury(takeH().lease(), "aside"));
        ids.put(TaskState.WAITING, put(toH().group(group)).id());
        ids.put(TaskState.SCHEDULED, put(toH().delay(days(200))).id());
        ids.put(TaskState.READY, put(toH()).id());

        advance(days(100));

        ids.forEach((state, id) -> {
            assertThat(state(id)).isEqualTo(state);
            assertThat(peek(id).payload()).isEqualTo(Payload.of("precious"));
        });
        assertThat(settle(Settle.release(lease)).state()).isEqualTo(TaskState.READY);
        storage.kick(ids.get(TaskState.BURIED));
        storage.groups().start(group);
        advance(days(100));
        assertThat(take(TakeRequest.from(H).count(9))).hasSize(5).allSatisfy(taken -> assertThat(taken.payload())
                .isEqualTo(Payload.of("precious")));
    }

    @Test
    void aTaskThatIsTriedForALongTimeKeepsItsPayload() { // C25, N.3-10
        createQueue(Retention.none(), RetryPolicy.UNLIMITED);
        put(toH());

        for (int i = 0; i < 10; i++) {
            settle(Settle.retry(takeH().lease(), When.in(days(10)), "not yet"));
            advance(days(10));
        }

        assertThat(takeH().payload()).isEqualTo(Payload.of("precious"));
    }

    // Equivalent tasks

    private static NewTask.Builder mail() {
        return task("hello")
                .type("mail")
                .origin("shop")
                .destination("post")
                .externalKey("order 7")
                .tenant("t")
                .businessGroup("b");
    }

    private List<Long> equivalentTo(NewTask.Builder task) {
        return storage.findEquivalent(Equivalence.to(task.build())).stream()
                .map(Task::id)
                .toList();
    }

    @Test
    void equivalentTasksAreFoundInTheOrderOfTheirIds() { // N13
        long first = put(mail().priority(5)).id();
        long second = put(mail().priority(1)).id();

        assertThat(equivalentTo(mail())).containsExactly(first, second);
    }

    @Test
    void fieldsOutsideOfTheEquivalenceAreNotCompared() {
        long id = put(mail()).id();

        assertThat(equivalentTo(mail().priority(9)
                        .delay(minutes(1))
                        .ttl(minutes(2))
                        .key("k")
                        .address("a")
                        .tag("n", 1)))
                .containsExactly(id);
    }

    @Test
    void aTaskThatDiffersInOneFieldIsNotEquivalent() { // N13
        storage.queues().create("other", QueueOptions.standard());
        put(mail());
        Map<String, NewTask.Builder> different = Map.of(
                "payload", mail().payload("bye"),
                "type", mail().type("fax"),
                "origin", mail().origin("other"),
                "destination", mail().destination("other"),
                "external key", mail().externalKey("order 8"),
                "tenant", mail().tenant("other"),
                "business group", mail().businessGroup("other"),
                "queue", NewTask.to("other").payload("hello").externalKey("order 7"));

        different.forEach(
                (field, task) -> assertThat(equivalentTo(task)).as(field).isEmpty());
    }

    @Test
    void noneEqualsOnlyNone() { // N13: null-safe
        NewTask.Builder bare = task("hello").externalKey("order 7");
        long id = put(bare).id();
        Map<String, NewTask.Builder> with = Map.of(
                "type", bare.build().toBuilder().type("mail"),
                "origin", bare.build().toBuilder().origin("shop"),
                "destination", bare.build().toBuilder().destination("post"),
                "tenant", bare.build().toBuilder().tenant("t"),
                "business group", bare.build().toBuilder().businessGroup("b"));

        with.forEach((field, task) -> assertThat(equivalentTo(task)).as(field).isEmpty());
        assertThat(equivalentTo(bare)).containsExactly(id);
        long full = put(mail()).id();
        assertThat(equivalentTo(bare)).containsExactly(id);
        assertThat(equivalentTo(mail())).containsExactly(full);
    }

    @Test
    void aTaskWithoutAnExternalKeyIsEquivalentToNone() {
        put(task("hello"));

        assertThat(equivalentTo(task("hello").externalKey("order 7"))).isEmpty();
    }

    @Test
    void tasksDoneOrToDoAreEquivalentUnlessAskedOtherwise() { // N13, N.3-8
        createQueue(Retention.standard());
        NewTask.Builder like = toH().externalKey("order 7");
        Map<TaskState, Long> ids = new EnumMap<>(TaskState.class);
        ids.put(
                TaskState.EXPIRED,
                put(toH().externalKey("order 7").ttl(seconds(1))).id());
        advance(seconds(1));
        ids.put(TaskState.DONE, put(like).id());
        ack(takeH().lease());
        ids.put(TaskState.FAILED, put(like).id());
        settle(Settle.fail(takeH().lease(), "broken"));
        ids.put(TaskState.CANCELED, put(like).id());
        storage.delete(ids.get(TaskState.CANCELED));
        ids.put(TaskState.BURIED, put(like).id());
        storage.bury(ids.get(TaskState.BURIED), "aside");
        ids.put(TaskState.TAKEN, put(like).id());
        takeH();
        long group = storage.groups().create(GroupSpec.named("unstarted")).id();
        ids.put(
                TaskState.WAITING,
                put(toH().externalKey("order 7").group(group)).id());
        ids.put(
                TaskState.SCHEDULED,
                put(toH().externalKey("order 7").delay(minutes(1))).id());
        ids.put(TaskState.READY, put(like).id());

        assertThat(equivalentTo(like))
                .containsExactly(
                        ids.get(TaskState.DONE),
                        ids.get(TaskState.WAITING),
                        ids.get(TaskState.SCHEDULED),
                        ids.get(TaskState.READY));
        ids.forEach((state, id) -> assertThat(storage.findEquivalent(new Equivalence(like.build(), EnumSet.of(state))))
                .extracting(Task::id)
                .as("%s", state)
                .containsExactly(id));
    }

    @Test
    void aForgottenTaskIsEquivalentToNone() {
        createQueue(Retention.none());
        put(toH().externalKey("order 7"));

        ack(takeH().lease());

        assertThat(equivalentTo(toH().externalKey("order 7"))).isEmpty();
    }

    @Test
    void equivalentTasksOfAnUnknownQueueAreAnError() {
        NewTask.Builder lost = NewTask.to("nowhere").payload("hello").externalKey("order 7");

        assertThatExceptionOfType(QueueNotFoundException.class).isThrownBy(() -> equivalentTo(lost));
    }
}
