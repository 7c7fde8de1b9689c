package dev.leat.storagetests.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leat.Equivalence;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.SettleResult.Status;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.QueueExistsException;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueInUseException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueInfo.SetBy;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.queue.TakeOrder;
import dev.leat.storage.Notice;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Queues and their options. Covers T5, T7, T13, T22, T24, T25, T.3-13, T.3-14, rule 6, 10, 27, 28, 29. */
public abstract class QueueContract extends ContractTest {
    private static final QueueOptions ELABORATE = QueueOptions.builder()
            .priority(-3)
            .ttl(minutes(90))
            .ttr(seconds(7))
            .ttrDefault(QueueOptions.TtrDefault.TTL)
            .capacity(1234)
            .lifetime(QueueOptions.Lifetime.TEMPORARY)
            .retry(new RetryPolicy(
                    3,
                    4,
                    RetryPolicy.Charge.TOGETHER,
                    Backoff.exponential(seconds(2), minutes(3), 0.25),
                    RetryPolicy.Anchor.DUE))
            .exhaustion(Exhaustion.DEAD_HANDLER)
            .retention(new Retention(seconds(1), seconds(2), seconds(3), seconds(4), Retention.DonePayload.KEEP))
            .placeBy(QueueOptions.PlaceBy.DUE_TIME)
            .takeOrder(TakeOrder.newest())
            .takeOrder(TakeOrder.preferDistinct("company", TakeOrder.Simple.RANDOM))
            .typeFilter(QueueOptions.TypeFilter.ON)
            .number(42)
            .build();

    private void configure(QueueOptions.Builder options) {
        storage.queues().declare(Q, options.build(), SetBy.CODE);
    }

    private void limitTo(int capacity) {
        configure(QueueOptions.builder().capacity(capacity));
    }

    private QueueInfo info(String queue) {
        return storage.queues().find(queue).orElseThrow();
    }

    private List<Long> liveIds(String queue) {
        return storage.list(TaskQuery.of(queue)).stream().map(Task::id).toList();
    }

    private void assertFull(NewTask.Builder... tasks) {
        List<NewTask> batch =
                List.of(tasks).stream().map(NewTask.Builder::build).toList();
        assertThatExceptionOfType(QueueFullException.class)
                .isThrownBy(() -> storage.put(batch))
                .withMessageContaining(Q);
    }

    /** One task in each live state, in the order WAITING, SCHEDULED, TAKEN, BURIED, READY. */
    private List<Long> oneInEachLiveState() {
        long group = storage.groups().create(GroupSpec.named("unstarted")).id();
        long waiting = put(task().group(group)).id();
        long scheduled = put(task().delay(minutes(5))).id();
        long taken = put("taken");
        take();
        long buried = put("buried");
        storage.bury(buried, "aside");
        return List.of(waiting, scheduled, taken, buried, put("ready"));
    }

    // Names, creating, finding

    @Test
    void aCreatedQueueIsFoundWithItsOptions() {
        QueueInfo created = storage.queues().create("other", ELABORATE);

        assertThat(created).isEqualTo(new QueueInfo("other", ELABORATE, false, SetBy.CODE));
        assertThat(storage.queues().find("other")).contains(created);
    }

    @Test
    void creatingAQueueThatExistsIsAnErrorAndChangesNothing() {
        assertThatExceptionOfType(QueueExistsException.class)
                .isThrownBy(() -> storage.queues().create(Q, ELABORATE))
                .withMessageContaining(Q);

        assertThat(info(Q).options()).isEqualTo(QueueOptions.standard());
    }

    @Test
    void declaringCreatesAMissingQueueAndChangesAnExistingOne() {
        QueueInfo created = storage.queues().declare("other", QueueOptions.standard(), SetBy.CODE);
        QueueInfo changed = storage.queues().declare("other", ELABORATE, SetBy.CODE);

        assertThat(created.options()).isEqualTo(QueueOptions.standard());
        assertThat(changed.options()).isEqualTo(ELABORATE);
        assertThat(info("other")).isEqualTo(changed);
    }

    @Test
    void codeNeverOverrulesAnOperator() { // rule 28
        QueueOptions operators = QueueOptions.builder().capacity(7).build();
        storage.queues().declare(Q, operators, SetBy.OPERATOR);

        QueueInfo answered = storage.queues().declare(Q, ELABORATE, SetBy.CODE);

        assertThat(answered).isEqualTo(new QueueInfo(Q, operators, false, SetBy.OPERATOR));
        assertThat(info(Q)).isEqualTo(answered);
    }

    @Test
    void anOperatorOverrulesCodeAndHimself() {
        storage.queues().declare(Q, QueueOptions.builder().capacity(7).build(), SetBy.OPERATOR);

        storage.queues().declare(Q, ELABORATE, SetBy.OPERATOR);

        assertThat(info(Q)).isEqualTo(new QueueInfo(Q, ELABORATE, false, SetBy.OPERATOR));
    }

    @Test
    void anOperatorWhoConfirmsTheOptionsOfCodeOwnsThem() {
        storage.queues().declare(Q, QueueOptions.standard(), SetBy.OPERATOR);

        storage.queues().declare(Q, ELABORATE, SetBy.CODE);

        assertThat(info(Q).options()).isEqualTo(QueueOptions.standard());
    }

    @Test
    void queuesAreListedByName() {
        storage.queues().create("zebra", QueueOptions.standard());
        storage.queues().create("ant", ELABORATE);

        assertThat(storage.queues().list()).extracting(QueueInfo::name).containsExactly("ant", Q, "zebra");
        assertThat(storage.queues().list().get(0).options()).isEqualTo(ELABORATE);
    }

    @Test
    void lookingForAnUnknownQueueFindsNothing() {
        assertThat(storage.queues().find("nobody")).isEmpty();
    }

    @Test
    void everyCallOnAnUnknownQueueIsAnError() { // rule 28
        NewTask task = NewTask.to("nobody").externalKey("x").payload("y").build();
        Map<String, ThrowingCallable> calls = Map.ofEntries(
                Map.entry("pause", () -> storage.queues().pause("nobody")),
                Map.entry("resume", () -> storage.queues().resume("nobody")),
                Map.entry("drop", () -> storage.queues().drop("nobody")),
                Map.entry("truncate", () -> storage.queues().truncate("nobody")),
                Map.entry("releaseAll", () -> storage.queues().releaseAll("nobody")),
                Map.entry("put", () -> storage.put(List.of(task))),
                Map.entry("take", () -> take(TakeRequest.from("nobody"))),
                Map.entry("kick", () -> storage.kick("nobody", 1)),
                Map.entry("findAddress", () -> storage.findAddress("nobody", "a")),
                Map.entry("findEquivalent", () -> storage.findEquivalent(Equivalence.to(task))),
                Map.entry("stats", () -> storage.queues().stats("nobody")));

        calls.forEach((name, call) -> assertThatThrownBy(call)
                .as(name)
                .isInstanceOf(QueueNotFoundException.class)
                .hasMessageContaining("nobody"));
        assertThat(storage.queues().find("nobody")).isEmpty();
    }

    @Test
    void listingTheTasksOfAnUnknownQueueIsAnError() { // rule 28
        assertThatExceptionOfType(QueueNotFoundException.class)
                .isThrownBy(() -> storage.list(TaskQuery.of("nobody")))
                .withMessageContaining("nobody");
    }

    @Test
    void namesMayBe128OfLettersDigitsAndSomeSigns() { // rule 29
        List<String> names = List.of("a", "7", "Az09_-.:", "x".repeat(128));

        names.forEach(name -> storage.queues().create(name, QueueOptions.standard()));

        assertThat(storage.queues().list()).extracting(QueueInfo::name).containsAll(names);
        assertThat(storage.put(List.of(NewTask.to("x".repeat(128)).build()))).hasSize(1);
    }

    @Test
    void invalidQueueNamesAreRefused() { // rule 29
        List<String> names = List.of("", " ", "a b", "a/b", "é", "a'b", "a\nb", "a\0", "x".repeat(129));

        for (String name : names) {
            List<ThrowingCallable> calls = List.of(
                    () -> storage.queues().create(name, QueueOptions.standard()),
                    () -> storage.queues().declare(name, QueueOptions.standard(), SetBy.OPERATOR),
                    () -> NewTask.to(name),
                    () -> TakeRequest.from(name),
                    () -> TaskQuery.of(name));
            calls.forEach(
                    call -> assertThatThrownBy(call).as("'%s'", name).isInstanceOf(InvalidRequestException.class));
        }
        assertThat(storage.queues().list()).extracting(QueueInfo::name).containsExactly(Q);
    }

    @Test
    void namesThatDifferOnlyInCaseAreDifferentQueues() {
        storage.queues().create("Orders", QueueOptions.standard());
        storage.queues().create("orders", QueueOptions.standard());

        storage.put(List.of(NewTask.to("Orders").build()));

        assertThat(take(TakeRequest.from("orders"))).isEmpty();
        assertThat(take(TakeRequest.from("Orders"))).hasSize(1);
    }

    // Pause

    @Test
    void aPausedQueueGivesNothingUntilItIsResumed() { // rule 27
        long id = put("a");
        storage.queues().pause(Q);

        assertThat(info(Q).paused()).isTrue();
        assertThat(takeIds(1)).isEmpty();

        storage.queues().resume(Q);

        assertThat(info(Q).paused()).isFalse();
        assertThat(takeIds(1)).containsExactly(id);
    }

    @Test
    void timeGoesOnForTheTasksOfAPausedQueue() { // rule 27
        long due = put(task().delay(seconds(5))).id();
        long mortal = put(task().ttl(seconds(5))).id();
        storage.queues().pause(Q);

        advance(seconds(5));

        assertThat(state(due)).isEqualTo(TaskState.READY);
        assertThat(state(mortal)).isEqualTo(TaskState.EXPIRED);
    }

    @Test
    void aPausedQueueAcceptsPutsAndSettles() {
        put("a");
        Lease lease = take().lease();
        storage.queues().pause(Q);

        assertThat(ack(lease).status()).isEqualTo(Status.DONE);
        assertThat(state(put("b"))).isEqualTo(TaskState.READY);
    }

    @Test
    void changingTheOptionsOfAPausedQueueDoesNotResumeIt() {
        put("a");
        storage.queues().pause(Q);

        storage.queues().declare(Q, ELABORATE, SetBy.OPERATOR);

        assertThat(info(Q).paused()).isTrue();
        assertThat(takeIds(1)).isEmpty();
    }

    // Drop, truncate, release all

    @Test
    void aQueueIsDroppedWithItsReadyScheduledWaitingAndBuriedTasks() { // T.3-13
        oneInEachLiveState();
        storage.queues().releaseAll(Q);

        storage.queues().drop(Q);

        assertThat(storage.queues().find(Q)).isEmpty();
        assertThat(storage.queues().list()).isEmpty();
        assertThat(storage.list(TaskQuery.live())).isEmpty();
    }

    @Test
    void aQueueWithTakenTasksIsNotDropped() { // T22
        long id = put("a");
        Lease lease = take().lease();

        assertThatExceptionOfType(QueueInUseException.class)
                .isThrownBy(() -> storage.queues().drop(Q))
                .withMessageContaining(Q);

        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        ack(lease);
        storage.queues().drop(Q);
        assertThat(storage.queues().find(Q)).isEmpty();
    }

    @Test
    void aQueueWithWaitingConsumersIsNotDropped() { // T22
        storage.queues().create("other", QueueOptions.standard());
        storage.sessions().heartbeat(session, Map.of(Q, 1));

        assertThatExceptionOfType(QueueInUseException.class)
                .isThrownBy(() -> storage.queues().drop(Q))
                .withMessageContaining(Q);
        storage.queues().drop("other");

        storage.sessions().heartbeat(session, Map.of());
        storage.queues().drop(Q);
        assertThat(storage.queues().find(Q)).isEmpty();
    }

    @Test
    void consumersOfAnEndedSessionDoNotHoldAQueue() {
        storage.sessions().heartbeat(session, Map.of(Q, 3));
        storage.sessions().close(session);

        storage.queues().drop(Q);

        assertThat(storage.queues().find(Q)).isEmpty();
    }

    @Test
    void aQueueOfADroppedNameStartsEmpty() {
        storage.queues().declare(Q, QueueOptions.standard(), SetBy.OPERATOR);
        storage.queues().pause(Q);
        long old = put(task().address("a").key("k")).id();
        storage.queues().drop(Q);

        storage.queues().create(Q, QueueOptions.standard());
        PutResult again = put(task().address("a").key("k"));

        assertThat(info(Q)).isEqualTo(new QueueInfo(Q, QueueOptions.standard(), false, SetBy.CODE));
        assertThat(again.created()).isTrue();
        assertThat(again.id()).isGreaterThan(old);
        assertThat(storage.queues().stats(Q).live()).isEqualTo(1);
        assertThat(takeIds(9)).containsExactly(again.id());
    }

    @Test
    void truncateDeletesTheTasksOfEveryLiveState() { // T24
        List<Long> ids = oneInEachLiveState();

        assertThat(storage.queues().truncate(Q)).isEqualTo(5);

        assertThat(ids).allSatisfy(id -> assertThat(state(id)).isEqualTo(TaskState.CANCELED));
        assertThat(storage.queues().stats(Q).live()).isZero();
        assertThat(storage.queues().truncate(Q)).isZero();
    }

    @Test
    void aTruncatedTaskIsGoneForItsHolderAndDoesNotHoldTheQueue() { // T24, better than T.3-14
        put("a");
        Lease lease = take().lease();

        storage.queues().truncate(Q);

        assertThat(ack(lease).status()).isEqualTo(Status.GONE);
        storage.queues().drop(Q);
        assertThat(storage.queues().find(Q)).isEmpty();
    }

    @Test
    void truncateAndReleaseAllLeaveOtherQueuesAlone() {
        storage.queues().create("other", QueueOptions.standard());
        storage.put(List.of(NewTask.to("other").build()));
        TakenTask other = take(TakeRequest.from("other")).get(0);

        assertThat(storage.queues().releaseAll(Q)).isZero();
        assertThat(storage.queues().truncate(Q)).isZero();

        assertThat(ack(other.lease()).status()).isEqualTo(Status.DONE);
    }

    @Test
    void releaseAllTakesEveryLeaseAwayAndPutsTheTasksBackAtTheirOwnPlaces() { // T25
        long a = put("a");
        long b = put("b");
        long c = put("c");
        List<TakenTask> taken = take(2);

        assertThat(storage.queues().releaseAll(Q)).isEqualTo(2);

        assertThat(taken).allSatisfy(t -> assertThat(ack(t.lease()).status()).isEqualTo(Status.GONE));
        assertThat(takeIds(3)).containsExactly(a, b, c);
    }

    @Test
    void releaseAllChargesNobody() { // T25
        configure(QueueOptions.builder()
                .retry(RetryPolicy.standard().maxFailures(1).maxLosses(1)));
        long id = put("a");
        take();

        storage.queues().releaseAll(Q);

        Task task = peek(id);
        assertThat(task.state()).isEqualTo(TaskState.READY);
        assertThat(List.of(task.failures(), task.losses())).containsExactly(0, 0);
        assertThat(task.attempts()).isEqualTo(1);
    }

    @Test
    void releaseAllDoesNotReviveATaskThatSomebodyCanceled() { // rule 11
        long id = put("a");
        take();
        storage.cancel(id, "not needed");

        storage.queues().releaseAll(Q);

        assertThat(state(id)).isEqualTo(TaskState.CANCELED);
    }

    // Capacity

    @Test
    void allLiveStatesCountAgainstTheCapacity() { // T5, rule 6
        limitTo(5);
        oneInEachLiveState();

        assertFull(task());

        assertThat(storage.queues().stats(Q).live()).isEqualTo(5);
    }

    @Test
    void aBatchThatDoesNotFitLeavesNothing() { // rule 6
        storage.queues().create("other", QueueOptions.standard());
        limitTo(2);
        long first = put("a");

        assertFull(NewTask.to("other"), task("b"), task("c"));

        assertThat(liveIds(Q)).containsExactly(first);
        assertThat(liveIds("other")).isEmpty();
        assertThat(put("d")).isGreaterThan(first);
    }

    @Test
    void everyEndOfATaskFreesItsSpace() {
        limitTo(1);
        put("acknowledged");
        ack(take().lease());
        storage.delete(put("deleted"));
        put(task().ttl(seconds(1)));
        advance(seconds(1));

        put("fits");

        assertFull(task());
    }

    @Test
    void freedSpaceIsTold() { // rule 6: a timed put waits for it
        limitTo(1);
        put("a");
        Lease lease = take().lease();
        Queue<Notice> notices = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(notices::add)) {
            ack(lease);
            await().untilAsserted(() -> assertThat(notices).contains(new Notice.Ready(Q)));
        }
    }

    @Test
    void aPutThatMakesNoTaskNeedsNoSpace() {
        limitTo(1);
        long id = put(task().address("a").idempotencyKey("i")).id();

        assertThat(put(task().address("a"))).isEqualTo(new PutResult(id, false, TaskState.READY));
        assertThat(put(task().idempotencyKey("i"))).isEqualTo(new PutResult(id, false, TaskState.READY));
    }

    @Test
    void aBatchNeedsSpaceOnlyForTheTasksItMakes() {
        limitTo(1);

        List<PutResult> results = storage.put(
                List.of(task().address("a").build(), task().address("a").build()));

        assertThat(results).extracting(PutResult::created).containsExactly(true, false);
    }

    @Test
    void aLoweredCapacityKeepsWhatIsThereAndRefusesMore() {
        long a = put("a");
        long b = put("b");

        limitTo(1);

        assertFull(task());
        assertThat(takeIds(9)).containsExactly(a, b);
    }

    // Options

    @Test
    void aTemporaryQueueIsAcceptedAndWorks() { // T7
        configure(QueueOptions.builder().lifetime(QueueOptions.Lifetime.TEMPORARY));
        put("a");

        assertThat(ack(take().lease()).status()).isEqualTo(Status.DONE);
        assertThat(info(Q).options().lifetime()).isEqualTo(QueueOptions.Lifetime.TEMPORARY);
    }

    @Test
    void aQueueMayHaveANumberOfItsOwn() { // G2, rule 28
        configure(QueueOptions.builder().number(7));

        assertThat(info(Q).options().number()).hasValue(7);
        assertThat(storage.queues().stats(Q).number()).hasValue(7);
    }

    @Test
    void presetsAreStoredAsTheyAre() {
        Map<String, QueueOptions> presets = Map.of(
                "nsj", QueueOptions.nsj(),
                "visibility", QueueOptions.visibilityTimeout(),
                "rsqueue", QueueOptions.rsqueue(),
                "tube", QueueOptions.tube(minutes(5)),
                "opsqueue", QueueOptions.opsqueue());

        presets.forEach(storage.queues()::create);

        presets.forEach((name, options) -> assertThat(info(name).options()).isEqualTo(options));
    }

    @Test
    void theNsjPresetTriesAHundredTimesInStepsOfFiveMinutesAndThenRunsTheDeadHandler() { // rule 1, 10, 20, N19, N20
        QueueOptions nsj = QueueOptions.nsj();

        assertThat(nsj.retry())
                .isEqualTo(new RetryPolicy(
                        100, 100, RetryPolicy.Charge.TOGETHER, Backoff.linear(minutes(5)), RetryPolicy.Anchor.DUE));
        assertThat(nsj.exhaustion()).isEqualTo(Exhaustion.DEAD_HANDLER);
        assertThat(nsj.placeBy()).isEqualTo(QueueOptions.PlaceBy.DUE_TIME);
        assertThat(nsj.retention().donePayload()).isEqualTo(Retention.DonePayload.KEEP);
        assertThat(nsj.retention().of(TaskState.DONE)).isEqualTo(Duration.ofDays(60));
    }

    @Test
    void theVisibilityTimeoutPresetTriesForEverFor60SecondsEach() { // rule 10, G7, G9
        QueueOptions visibility = QueueOptions.visibilityTimeout();

        assertThat(visibility.ttr()).contains(seconds(60));
        assertUnlimited(visibility.retry());
    }

    @Test
    void theRsqueuePresetFailsAtTheFirstFailureAndNeverByLosses() { // rule 10, R.3-1, R17
        QueueOptions rsqueue = QueueOptions.rsqueue();

        assertThat(rsqueue.retry().exhausted(1, 0)).isTrue();
        assertThat(rsqueue.retry().exhausted(0, 1_000_000)).isFalse();
        assertThat(rsqueue.exhaustion()).isEqualTo(Exhaustion.FAIL);
        assertThat(rsqueue.typeFilter()).isEqualTo(QueueOptions.TypeFilter.ON);
    }

    @Test
    void theTubePresetLimitsEachExecutionByTheTtlAndNeverGivesUp() { // rule 7, T9
        QueueOptions tube = QueueOptions.tube(minutes(5));

        assertThat(tube.ttl()).contains(minutes(5));
        assertThat(tube.ttr()).isEmpty();
        assertThat(tube.ttrDefault()).isEqualTo(QueueOptions.TtrDefault.TTL);
        assertUnlimited(tube.retry());
    }

    @Test
    void theOpsqueuePresetFailsTheGroupAtTheTenthFailureOrLoss() { // rule 10, O29, O30
        QueueOptions opsqueue = QueueOptions.opsqueue();

        assertThat(opsqueue.retry().exhausted(5, 4)).isFalse();
        assertThat(opsqueue.retry().exhausted(5, 5)).isTrue();
        assertThat(opsqueue.exhaustion()).isEqualTo(Exhaustion.FAIL_GROUP);
        assertThat(opsqueue.ttr()).contains(minutes(10));
        assertThat(opsqueue.takeOrders()).contains(TakeOrder.newest(), TakeOrder.random());
    }

    @Test
    void aStandardQueueAllowsTenFailuresAndTenLossesApartAndThenBuries() { // rule 10
        RetryPolicy retry = QueueOptions.standard().retry();

        assertThat(retry.exhausted(9, 9)).isFalse();
        assertThat(retry.exhausted(10, 0)).isTrue();
        assertThat(retry.exhausted(0, 10)).isTrue();
        assertThat(QueueOptions.standard().exhaustion()).isEqualTo(Exhaustion.BURY);
    }

    private static void assertUnlimited(RetryPolicy retry) {
        assertThat(retry.exhausted(1_000_000, 1_000_000)).isFalse();
    }

    @Test
    void changedOptionsKeepTheTasksAndTheirOrder() {
        long normal = put(task().type("a")).id();
        long later = put(task().type("b")).id();
        long urgent = put(task().type("b").priority(-1)).id();
        long running = put(task().type("b").priority(-2)).id();
        Lease lease = take().lease();

        configure(QueueOptions.builder()
                .typeFilter(QueueOptions.TypeFilter.ON)
                .takeOrder(TakeOrder.newest())
                .takeOrder(TakeOrder.preferDistinct("company")));

        assertThat(settle(Settle.release(lease)).status()).isEqualTo(Status.DONE);
        assertThat(take(TakeRequest.from(Q).count(9).types(Set.of("b"))))
                .extracting(TakenTask::id)
                .containsExactly(running, urgent, later);
        assertThat(takeIds(9)).containsExactly(normal);
    }

    @Test
    void changedDefaultsCountForLaterPutsOnly() {
        long before = put("before");

        configure(QueueOptions.builder().priority(-5).ttl(minutes(1)).ttr(seconds(9)));
        long after = put("after");

        assertThat(peek(before).expires()).isEmpty();
        assertThat(peek(before).priority()).isZero();
        assertThat(peek(after).expires()).contains(now().plus(minutes(1)));
        assertThat(takeIds(2)).containsExactly(after, before);
    }
}
