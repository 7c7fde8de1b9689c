package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.SessionEndedException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which tasks a take gets, and for how long. Covers T15, T31, R3, R16, R17, R.3-9, O25, O26, O.3-8, C11, rule 1, 7, 34. */
public abstract class TakeContract extends ContractTest {
    private static final TakeRequest TAKE = TakeRequest.from(Q);
    private static final TakeOrder FAIR = TakeOrder.preferDistinct("company");

    private void configure(QueueOptions.Builder options) {
        storage.queues().declare(Q, options.build(), QueueInfo.SetBy.CODE);
    }

    private void allow(TakeOrder order) {
        configure(QueueOptions.builder().takeOrder(order));
    }

    private void filterTypes() {
        configure(QueueOptions.builder().typeFilter(QueueOptions.TypeFilter.ON));
    }

    private List<Long> takeIds(TakeRequest request) {
        return take(request).stream().map(TakenTask::id).toList();
    }

    private long putFor(long company) {
        return put(task().tag("company", company)).id();
    }

    /** Takes one after the other, fairly, and tells the companies. */
    private List<Long> takeCompanies(int count) {
        return take(TAKE.order(FAIR).count(count)).stream()
                .map(t -> t.task().tags().get("company"))
                .toList();
    }

    private TakenTask takeFairly() {
        return take(TAKE.order(FAIR)).get(0);
    }

    // Order

    @Test
    void anEmptyQueueGivesNothing() {
        assertThat(take(10)).isEmpty();
    }

    @Test
    void tasksComeInTheOrderOfPuts() {
        List<Long> ids = List.of(put("a"), put("b"), put("c"));

        assertThat(takeIds(3)).isEqualTo(ids);
    }

    @Test
    void lowerPrioritiesComeFirstAndNegativeOnesBeforeAll() { // N24, T31, R3
        long normal = put(task()).id();
        long low = put(task().priority(5)).id();
        long urgent = put(task().priority(-5)).id();
        long high = put(task().priority(-1)).id();
        long first = put(task().priority(Integer.MIN_VALUE)).id();
        long last = put(task().priority(Integer.MAX_VALUE)).id();
        long normalToo = put(task()).id();

        assertThat(takeIds(9)).containsExactly(first, urgent, high, normal, normalToo, low, last);
    }

    @Test
    void laterAndMoreImportantOvertakesWithinOneByOneTakes() {
        put("a");
        take();
        long normal = put("b");
        long urgent = put(task().priority(-1)).id();

        assertThat(take().id()).isEqualTo(urgent);
        assertThat(take().id()).isEqualTo(normal);
    }

    @Test
    void aTakeGetsAtMostWhatItAskedForAndLeavesTheRest() {
        List<Long> ids = LongStream.range(0, 7).map(i -> put("t" + i)).boxed().toList();

        assertThat(takeIds(3)).isEqualTo(ids.subList(0, 3));
        assertThat(takeIds(100)).isEqualTo(ids.subList(3, 7));
        assertThat(take(1)).isEmpty();
    }

    @Test
    void whatWasGivenBackComesFirstInALargeTakeToo() {
        List<Long> ids = storage.put(Collections.nCopies(2_500, task().build())).stream()
                .map(PutResult::id)
                .toList();
        take(1); // so that the next take goes on from there
        List<TakenTask> taken = take(599);
        take(600);
        storage.settle(taken.stream()
                .limit(100)
                .<Settle>map(task -> Settle.giveBack(task.lease()))
                .toList());

        List<Long> expected = new ArrayList<>(ids.subList(1, 101));
        expected.addAll(ids.subList(1_200, 2_100));
        assertThat(takeIds(1_000)).isEqualTo(expected);
    }

    @Test
    void aLargeTakeGetsTheFirstInTheirOrderToo() {
        List<NewTask> tasks = IntStream.range(0, 2_500)
                .mapToObj(i -> task().priority(i % 3).build())
                .toList();
        List<PutResult> put = storage.put(tasks);
        List<Long> inOrder = IntStream.range(0, 2_500)
                .boxed()
                .sorted(Comparator.comparing(i -> i % 3))
                .map(i -> put.get(i).id())
                .toList();

        assertThat(takeIds(1)).isEqualTo(inOrder.subList(0, 1));
        assertThat(takeIds(99)).isEqualTo(inOrder.subList(1, 100));
        assertThat(takeIds(1_000)).isEqualTo(inOrder.subList(100, 1_100));
        assertThat(takeIds(2_000)).isEqualTo(inOrder.subList(1_100, 2_500));
    }

    @Test
    void aTakeForNoTaskAtAllIsRefused() { // O24
        assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> TAKE.count(0));
    }

    @Test
    void aTakenTaskIsMarkedAndCounted() { // R15
        long id = put("a");

        Task taken = take().task();

        assertThat(taken.state()).isEqualTo(TaskState.TAKEN);
        assertThat(taken.attempts()).isEqualTo(1);
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        assertThat(peek(id).attempts()).isEqualTo(1);
    }

    @Test
    void aTakeSeesItsOwnQueueOnly() { // R1
        storage.queues().create("other", QueueOptions.standard());
        long here = put("a");
        assertThat(take(TakeRequest.from("other").count(9))).isEmpty();

        long there = put(NewTask.to("other").priority(-1)).id();

        assertThat(takeIds(9)).containsExactly(here);
        assertThat(takeIds(TakeRequest.from("other").count(9))).containsExactly(there);
    }

    @Test
    void aDelayedTaskComesAtItsOwnPlace() { // rule 1
        long first = put(task().delay(seconds(10))).id();
        long second = put(task().delay(seconds(5))).id();
        long third = put("c");

        advance(seconds(10));

        assertThat(takeIds(9)).containsExactly(first, second, third);
    }

    @Test
    void aQueueMayOrderByDueTime() { // N24, rule 1
        configure(QueueOptions.builder().placeBy(QueueOptions.PlaceBy.DUE_TIME));
        long third = put(task().delay(seconds(10))).id();
        long second = put(task().delay(seconds(5))).id();
        long first = put("now");
        long secondToo = put(task().delay(seconds(5))).id();
        long urgent = put(task().delay(seconds(10)).priority(-1)).id();

        advance(seconds(10));

        assertThat(takeIds(9)).containsExactly(urgent, first, second, secondToo, third);
    }

    @Test
    void aPausedQueueGivesNothingInAnyOrder() {
        allow(TakeOrder.newest());
        put("a");
        storage.queues().pause(Q);

        assertThat(take(1)).isEmpty();
        assertThat(take(TAKE.order(TakeOrder.newest()))).isEmpty();
    }

    // Filters

    @Test
    void whatATakeOfImportantTasksPassedOverStillComesInItsOrder() { // R16
        long older = put(task().priority(5)).id();
        assertThat(takeIds(TAKE.maxPriority(1))).isEmpty();
        long newer = put(task().priority(5)).id();
        long important = put(task().priority(1)).id();
        assertThat(takeIds(TAKE.maxPriority(1))).containsExactly(important);
        long inBetween = put(task().priority(3)).id();

        assertThat(takeIds(TAKE.count(9))).containsExactly(inBetween, older, newer);
    }

    @Test
    void maxPriorityIsACeilingOnTheNumber() { // R16, R.3-5, C11
        long urgent = put(task().priority(-1)).id();
        long normal = put(task().priority(0)).id();
        long low = put(task().priority(1)).id();

        assertThat(takeIds(TAKE.count(9).maxPriority(-2))).isEmpty();
        assertThat(takeIds(TAKE.count(9).maxPriority(0))).containsExactly(urgent, normal);
        assertThat(takeIds(TAKE.count(9).maxPriority(Integer.MAX_VALUE))).containsExactly(low);
    }

    @Test
    void aTakeMayAskForSomeTypesOnly() { // R16
        filterTypes();
        long mail = put(task().type("mail")).id();
        long fax = put(task().type("fax")).id();
        long urgentSms = put(task().type("sms").priority(-1)).id();
        long untyped = put("untyped");

        assertThat(takeIds(TAKE.count(9).types(Set.of("mail", "sms", "unheard of"))))
                .containsExactly(urgentSms, mail);
        assertThat(takeIds(TAKE.count(9))).containsExactly(fax, untyped);
    }

    @Test
    void aTakeForSomeTypesStillGoesByTheOrderOfPuts() {
        filterTypes();
        long a1 = put(task().type("a")).id();
        long b1 = put(task().type("b")).id();
        put(task().type("c"));
        long a2 = put(task().type("a")).id();

        assertThat(takeIds(TAKE.count(9).types(Set.of("b", "a")))).containsExactly(a1, b1, a2);
    }

    @Test
    void noTypesMatchNothing() { // R17, R.3-9
        filterTypes();
        put(task().type("mail"));
        put("untyped");

        assertThat(take(TAKE.count(9).types(Set.of()))).isEmpty();
    }

    @Test
    void whatAQueueDidNotDeclareIsRefused() { // rule 34
        put(task().type("mail"));
        List<TakeRequest> undeclared = List.of(
                TAKE.types(Set.of("mail")),
                TAKE.order(TakeOrder.newest()),
                TAKE.order(TakeOrder.random()),
                TAKE.order(FAIR));

        assertThat(undeclared).allSatisfy(request -> assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> take(request))
                .withMessageContaining(Q));
        assertThat(take(1)).hasSize(1);
    }

    @Test
    void oneDeclaredTagDoesNotAllowAnother() { // rule 34
        allow(FAIR);

        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> take(TAKE.order(TakeOrder.preferDistinct("region"))));
    }

    // Newest and random

    @Test
    void theNewestMayGoFirstWithinItsPriority() { // O25
        allow(TakeOrder.newest());
        long old = put("a");
        long recent = put("b");
        long low = put(task().priority(1)).id();

        assertThat(takeIds(TAKE.order(TakeOrder.newest()).count(9))).containsExactly(recent, old, low);
    }

    @Test
    void aRandomOrderGivesEveryTaskOnce() { // O25
        allow(TakeOrder.random());
        List<Long> ids = LongStream.range(0, 50).map(i -> put("t" + i)).boxed().toList();

        List<Long> taken =
                new ArrayList<>(takeIds(TAKE.order(TakeOrder.random()).count(20)));
        taken.addAll(takeIds(TAKE.order(TakeOrder.random()).count(100)));

        assertThat(taken).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void anyTaskCanComeFirstInARandomOrder() { // O25
        allow(TakeOrder.random());
        List<Long> ids = List.of(put("a"), put("b"), put("c"));

        Set<Long> first = new HashSet<>();
        // Each of three misses 200 fair draws with a chance of (2/3)^200, about 10^-35.
        for (int draw = 0; draw < 200; draw++) {
            TakenTask taken = take(TAKE.order(TakeOrder.random())).get(0);
            first.add(taken.id());
            settle(Settle.giveBack(taken.lease()));
        }

        assertThat(first).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void aRandomOrderKeepsToThePriorities() {
        allow(TakeOrder.random());
        LongStream.range(0, 20).forEach(i -> put(task().priority((int) (i % 4))));

        List<Integer> priorities = take(TAKE.order(TakeOrder.random()).count(20)).stream()
                .map(t -> t.task().priority())
                .toList();

        assertThat(priorities).hasSize(20).isSorted();
    }

    // Prefer distinct

    @Test
    void runningTasksAreSpreadOverTheValuesOfATag() { // O26, O.3-8
        allow(FAIR);
        for (long company = 1; company <= 3; company++) {
            for (int chunk = 0; chunk < 4; chunk++) {
                putFor(company);
            }
        }

        assertThat(takeCompanies(6)).containsExactly(1L, 2L, 3L, 1L, 2L, 3L);
        assertThat(takeFairly().task().tags()).containsEntry("company", 1L);
    }

    @Test
    void oneByOneTakesAreSpreadJustTheSame() {
        allow(FAIR);
        List.of(1L, 1L, 1L, 2L, 2L, 2L).forEach(this::putFor);

        List<Long> companies =
                LongStream.range(0, 6).map(i -> takeCompanies(1).get(0)).boxed().toList();

        assertThat(companies).containsExactly(1L, 2L, 1L, 2L, 1L, 2L);
    }

    @Test
    void takesInOtherOrdersCountAsRunningToo() {
        allow(FAIR);
        List.of(1L, 1L, 1L, 2L).forEach(this::putFor);
        take(1);

        assertThat(takeCompanies(3)).containsExactly(2L, 1L, 1L);
    }

    @Test
    void tasksWithoutTheTagComeBeforeAllOthers() { // O26
        allow(FAIR);
        long tagged = putFor(1);
        long untagged = put("a");
        long otherwiseTagged = put(task().tag("region", 1)).id();

        assertThat(takeIds(TAKE.order(FAIR).count(9))).containsExactly(untagged, otherwiseTagged, tagged);
    }

    @Test
    void anEndedTaskCountsNoLongerAsRunning() { // C22
        allow(FAIR);
        List.of(1L, 1L, 1L, 2L, 2L).forEach(this::putFor);
        TakenTask first = takeFairly();
        ack(first.lease());

        assertThat(takeCompanies(2)).containsExactly(1L, 2L);
    }

    @Test
    void aReleasedTaskCountsNoLonger() { // C22
        allow(FAIR);
        long first = putFor(1);
        putFor(2);
        settle(Settle.release(takeFairly().lease()));

        assertThat(takeFairly().id()).isEqualTo(first);
    }

    @Test
    void theTasksOfAnEndedSessionCountNoLonger() { // C22
        allow(FAIR);
        String other = storage.sessions().open(SessionSpec.named("other"));
        List.of(1L, 1L, 1L, 2L, 2L).forEach(this::putFor);
        storage.take(TAKE.count(3).session(other));
        storage.sessions().close(other);

        assertThat(takeCompanies(5)).containsExactly(1L, 2L, 1L, 2L, 1L);
    }

    @Test
    void priorityComesBeforeFairness() {
        allow(FAIR);
        put(task().tag("company", 1).priority(-1));
        put(task().tag("company", 1).priority(-1));
        putFor(2);

        assertThat(takeCompanies(3)).containsExactly(1L, 1L, 2L);
    }

    @Test
    void theNewestOfAValueMayBreakTies() { // O26
        TakeOrder newestOfEach = TakeOrder.preferDistinct("company", TakeOrder.Simple.NEWEST);
        allow(newestOfEach);
        long a1 = putFor(1);
        long a2 = putFor(1);
        long b1 = putFor(2);
        long b2 = putFor(2);

        assertThat(takeIds(TAKE.order(newestOfEach).count(9))).containsExactly(b2, a2, b1, a1);
    }

    @Test
    void fairnessWorksWithinTheTypesAskedFor() {
        configure(QueueOptions.builder().takeOrder(FAIR).typeFilter(QueueOptions.TypeFilter.ON));
        NewTask.Builder mail = task().type("mail");
        long a1 = put(mail.tag("company", 1)).id();
        long a2 = put(mail).id();
        put(task().type("fax").tag("company", 2));
        long c1 = put(mail.tag("company", 3)).id();

        assertThat(takeIds(TAKE.order(FAIR).types(Set.of("mail")).count(9))).containsExactly(a1, c1, a2);
    }

    @Test
    void fairnessWorksAcrossTypes() {
        configure(QueueOptions.builder().takeOrder(FAIR).typeFilter(QueueOptions.TypeFilter.ON));
        long mail1 = put(task().type("mail").tag("company", 1)).id();
        long mail2 = put(task().type("mail").tag("company", 1)).id();
        long fax = put(task().type("fax").tag("company", 2)).id();
        long untagged = put(task().type("sms")).id();

        assertThat(takeIds(TAKE.order(FAIR).count(9))).containsExactly(untagged, mail1, fax, mail2);
    }

    @Test
    void aNewlyDeclaredTagCountsWhatRunsAlready() {
        List.of(1L, 1L, 2L).forEach(this::putFor);
        Lease running = take().lease();

        allow(FAIR);

        assertThat(takeFairly().task().tags()).containsEntry("company", 2L);
        ack(running);
        List.of(2L, 1L).forEach(this::putFor);
        assertThat(takeCompanies(3)).containsExactly(1L, 2L, 1L);
    }

    // Time limits

    @Test
    void aTakeInASessionHasNoTimeLimitByItself() { // rule 7
        put("a");

        assertThat(take().leaseUntil()).isEmpty();
    }

    @Test
    void aTakeWithoutASessionGetsSixtySeconds() { // rule 7
        put("a");

        assertThat(storage.take(TAKE).get(0).leaseUntil()).contains(now().plusSeconds(60));
    }

    @Test
    void theTimeLimitOfTheTakeBeatsThatOfTheTaskAndOfTheQueue() {
        configure(QueueOptions.builder().ttr(seconds(300)));
        put("queue's");
        put(task("task's").ttr(seconds(200)));
        put(task("take's").ttr(seconds(200)));

        assertThat(take().leaseUntil()).contains(now().plusSeconds(300));
        assertThat(take().leaseUntil()).contains(now().plusSeconds(200));
        assertThat(take(TAKE.ttr(seconds(100))).get(0).leaseUntil()).contains(now().plusSeconds(100));
    }

    @Test
    void everyNamedTimeLimitBeatsTheSixtySeconds() {
        put(task("task's").ttr(seconds(200)));
        put("take's");

        assertThat(storage.take(TAKE).get(0).leaseUntil()).contains(now().plusSeconds(200));
        assertThat(storage.take(TAKE.ttr(seconds(100))).get(0).leaseUntil()).contains(now().plusSeconds(100));
    }

    @Test
    void theTimeToLiveIsTheTimeLimitWhereTheQueueSaysSo() { // rule 7, T9
        configure(QueueOptions.tube(minutes(5)).toBuilder());
        put("a");
        put(task().ttl(minutes(2)));
        put(task().ttl(minutes(2)).ttr(minutes(1)));

        List<Duration> limits = take(3).stream()
                .map(t -> Duration.between(now(), t.leaseUntil().orElseThrow()))
                .toList();

        assertThat(limits).containsExactly(minutes(5), minutes(2), minutes(1));
    }

    // Sessions

    @Test
    void anUnknownSessionCannotTake() {
        long id = put("a");

        assertThatExceptionOfType(SessionEndedException.class).isThrownBy(() -> storage.take(TAKE.session("nobody")));
        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void anEndedSessionCannotTakeWhatItLost() { // T32
        long id = put("a");
        take();
        storage.sessions().close(session);

        assertThatExceptionOfType(SessionEndedException.class).isThrownBy(() -> take(1));
        assertThat(state(id)).isEqualTo(TaskState.READY);
    }
}
