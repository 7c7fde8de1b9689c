package dev.leat.storagetests.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueOptions.Tenants;
import dev.leat.queue.TakeOrder;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How the tenants of a queue share it: in turn, and with a limit for each. Covers N16. */
public abstract class TenantContract extends ContractTest {
    private static final String NONE = "none";

    private void configure(QueueOptions.Builder options) {
        storage.queues().declare(Q, options.build(), QueueInfo.SetBy.CODE);
    }

    private void takeInTurn() {
        configure(QueueOptions.builder().tenants(Tenants.IN_TURN));
    }

    private void limitTo(int tasks) {
        configure(QueueOptions.builder().tenantLimit(tasks));
    }

    private List<Long> put(String tenant, int tasks) {
        return IntStream.range(0, tasks)
                .mapToObj(i -> put(task().tenant(tenant)).id())
                .toList();
    }

    private static String tenant(TakenTask taken) {
        return taken.task().tenant().orElse(NONE);
    }

    private Map<String, Long> takeTenants(int count) {
        return take(count).stream()
                .map(TenantContract::tenant)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    private List<String> takeAndAckOneByOne(int count) {
        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            TakenTask taken = take();
            tenants.add(tenant(taken));
            ack(taken.lease());
        }
        return tenants;
    }

    // In turn

    @Test
    void aTenantWithManyTasksDoesNotStarveTheOthers() {
        takeInTurn();
        put("large", 50);
        put("small", 2);
        put("medium", 5);

        assertThat(takeTenants(6)).isEqualTo(Map.of("large", 2L, "small", 2L, "medium", 2L));
        assertThat(takeTenants(8)).isEqualTo(Map.of("large", 5L, "medium", 3L));
        assertThat(takeTenants(100)).isEqualTo(Map.of("large", 43L));
    }

    @Test
    void tenantsTakeTurnsWhereNothingRuns() {
        takeInTurn();
        List.of("a", "b", "c").forEach(tenant -> put(tenant, 4));

        List<String> tenants = takeAndAckOneByOne(12);

        for (int i = 0; i < 12; i += 3) {
            assertThat(tenants.subList(i, i + 3)).containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    @Test
    void whoHasTheFewestRunningComesFirst() {
        takeInTurn();
        put("busy", 3);
        take(3);
        put("busy", 3);
        put("idle", 3);

        assertThat(takeTenants(3)).isEqualTo(Map.of("idle", 3L));
        assertThat(takeTenants(2)).isEqualTo(Map.of("busy", 2L));
    }

    @Test
    void theTasksOfOneTenantComeInTheirOrder() {
        takeInTurn();
        List<Long> a = put("a", 3);
        List<Long> b = put("b", 3);

        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            taken.add(take().id());
        }

        assertThat(taken).containsSubsequence(a).containsSubsequence(b);
    }

    @Test
    void theNewestOfEachTenantComeFirstWhereThatIsAskedFor() {
        configure(QueueOptions.builder().tenants(Tenants.IN_TURN).takeOrder(TakeOrder.newest()));
        List<Long> a = put("a", 3);
        List<Long> b = put("b", 3);

        assertThat(take(TakeRequest.from(Q).order(TakeOrder.newest()).count(2)))
                .extracting(TakenTask::id)
                .containsExactlyInAnyOrder(a.get(2), b.get(2));
    }

    @Test
    void tasksOfTheSameDueTimeOrderComeByIt() {
        configure(QueueOptions.builder().tenants(Tenants.IN_TURN).placeBy(QueueOptions.PlaceBy.DUE_TIME));
        long later =
                put(task().tenant("a").due(When.in(Duration.ofSeconds(20)))).id();
        long sooner =
                put(task().tenant("a").due(When.in(Duration.ofSeconds(10)))).id();
        advance(Duration.ofSeconds(30));

        assertThat(takeIds(1)).containsExactly(sooner);
        assertThat(takeIds(1)).containsExactly(later);
    }

    @Test
    void prioritiesComeBeforeTurns() {
        takeInTurn();
        put(task().tenant("a").priority(1));
        put(task().tenant("b").priority(0));
        put(task().tenant("b").priority(0));

        assertThat(take(3)).extracting(TenantContract::tenant).containsExactly("b", "b", "a");
    }

    @Test
    void tasksWithoutATenantAreThoseOfOneMore() {
        takeInTurn();
        LongStream.range(0, 10).forEach(i -> put(task()));
        put("a", 10);

        assertThat(takeTenants(6)).isEqualTo(Map.of(NONE, 3L, "a", 3L));
    }

    @Test
    void takesOfSomeTypesGoInTurnToo() {
        configure(QueueOptions.builder().tenants(Tenants.IN_TURN).typeFilter(QueueOptions.TypeFilter.ON));
        IntStream.range(0, 4).forEach(i -> {
            put(task().tenant("a").type("mail"));
            put(task().tenant("a").type("letter"));
            put(task().tenant("b").type(i % 2 == 0 ? "mail" : "letter"));
            put(task().tenant("c").type("parcel"));
        });

        List<TakenTask> taken =
                take(TakeRequest.from(Q).types(Set.of("mail", "letter")).count(6));

        assertThat(taken).extracting(TenantContract::tenant).containsExactlyInAnyOrder("a", "a", "a", "b", "b", "b");
    }

    @Test
    void aTaskWithABusyKeyIsSkippedForTheNextTaskOfItsTenant() {
        takeInTurn();
        put(task().tenant("a").key("k"));
        put(task().tenant("a").key("k"));
        long free = put(task().tenant("a")).id();

        assertThat(takeIds(9)).hasSize(2).contains(free);
    }

    @Test
    void manyTenantsAllHaveTheirTurn() {
        takeInTurn();
        List<String> tenants =
                IntStream.range(0, 200).mapToObj(i -> "tenant-" + i).toList();
        storage.put(tenants.stream()
                .flatMap(tenant -> IntStream.range(0, 3)
                        .mapToObj(i -> task().tenant(tenant).build()))
                .toList());

        List<String> first = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            take(10).forEach(taken -> first.add(tenant(taken)));
        }

        assertThat(first).containsExactlyInAnyOrderElementsOf(tenants);
    }

    @Test
    void tenantsWithLongNamesThatBeginAlikeAreTwo() {
        limitTo(1);
        String long1 = "ü".repeat(250) + "1";
        String long2 = "ü".repeat(250) + "2";
        put(long1, 2);
        put(long2, 2);

        assertThat(takeTenants(4)).isEqualTo(Map.of(long1, 1L, long2, 1L));
    }

    @Test
    void theShareThatATenantDoesNotUseGoesToTheNextTenant() {
        takeInTurn();
        put("busy", 40);
        take(20);
        put("idle", 1);

        assertThat(takeTenants(10)).isEqualTo(Map.of("idle", 1L, "busy", 9L));
    }

    @Test
    void tenantsBehindABusyKeyDoNotHoldUpTheOthers() {
        takeInTurn();
        put(task().tenant("a").key("k"));
        take();
        for (int i = 0; i < 10; i++) {
            put(task().tenant("behind-" + i).key("k"));
        }
        put(task().tenant("low").priority(5));
        long free = put(task().tenant("free")).id();

        assertThat(takeIds(1)).containsExactly(free);
    }

    @Test
    void takesOfOtherTypesLeaveTheTurnAlone() {
        configure(QueueOptions.builder().tenants(Tenants.IN_TURN).typeFilter(QueueOptions.TypeFilter.ON));
        for (int i = 0; i < 6; i++) {
            put(task().tenant("a").type("x"));
            put(task().tenant("c").type("x"));
            IntStream.range(0, 20).forEach(t -> put(task().tenant("other-" + t).type("y")));
        }

        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tenants.add(takeAndAck("x"));
            takeAndAck("y");
        }

        assertThat(tenants).filteredOn("a"::equals).hasSize(3);
    }

    private String takeAndAck(String type) {
        TakenTask taken = take(TakeRequest.from(Q).types(Set.of(type))).get(0);
        ack(taken.lease());
        return tenant(taken);
    }

    // With a limit

    @Test
    void noTenantHasMoreThanItsLimit() {
        limitTo(2);
        put("a", 5);
        put("b", 1);

        assertThat(takeTenants(10)).isEqualTo(Map.of("a", 2L, "b", 1L));
        assertThat(take(10)).isEmpty();
    }

    @Test
    void whateverEndsADeliveryMakesRoom() {
        limitTo(1);
        put("a", 6);

        ack(take().lease());
        settle(Settle.fail(take().lease(), "no"));
        settle(Settle.bury(take().lease(), "no"));
        settle(Settle.giveBack(take().lease()));
        settle(Settle.release(take().lease(), Duration.ofSeconds(1)));
        storage.delete(take().id());
        storage.queues().releaseAll(Q);
        take();

        assertThat(take(1)).isEmpty();
        storage.sessions().close(session);
        assertThat(storage.take(TakeRequest.from(Q).count(9))).hasSize(1);
    }

    @Test
    void tasksWithoutATenantHaveNoLimit() {
        limitTo(1);
        LongStream.range(0, 5).forEach(i -> put(task()));
        put("a", 5);

        assertThat(takeTenants(10)).isEqualTo(Map.of(NONE, 5L, "a", 1L));
    }

    @Test
    void lessImportantTasksOfOthersRunBesideATenantAtItsLimit() {
        limitTo(1);
        put("a", 3);
        long other = put(task().tenant("b").priority(7)).id();
        take();

        assertThat(takeIds(9)).containsExactly(other);
    }

    @Test
    void theLimitHoldsOverAllPriorities() {
        limitTo(1);
        put(task().tenant("a").priority(0));
        put(task().tenant("a").priority(1));

        assertThat(take(9)).hasSize(1);
        assertThat(take(9)).isEmpty();
    }

    @Test
    void aDelayedTaskOfATenantCountsWhenItIsTaken() {
        limitTo(1);
        put(task().tenant("a").due(When.in(Duration.ofSeconds(5))));
        put("a", 1);
        TakenTask first = take();
        advance(Duration.ofSeconds(6));

        assertThat(take(9)).isEmpty();
        ack(first.lease());
        assertThat(take(9)).hasSize(1);
    }

    // Changed while there are tasks

    @Test
    void tasksThatWereThereBeforeAreTakenInTurnToo() {
        put("a", 4);
        take(2);
        put("b", 4);

        limitTo(3);

        assertThat(takeTenants(9)).isEqualTo(Map.of("a", 1L, "b", 3L));
    }

    @Test
    void tasksComeInTheirOrderAgainWhenTheLimitIsRemoved() {
        limitTo(1);
        List<Long> ids = new ArrayList<>(put("a", 3));
        ids.addAll(put("b", 3));
        ids.remove(take().id());

        configure(QueueOptions.builder());

        assertThat(takeIds(9)).isEqualTo(ids);
    }

    @Test
    void aTaskThatIsScheduledWhileTheOptionsChangeIsFound() {
        long id = put(task().tenant("a").due(When.in(Duration.ofSeconds(5)))).id();
        long buried = put(task().tenant("b")).id();
        storage.bury(buried, "later");
        takeInTurn();
        storage.kick(buried);
        advance(Duration.ofSeconds(6));

        assertThat(takeIds(9)).containsExactlyInAnyOrder(id, buried);
    }

    @Test
    void theLimitIsKeptWithTheQueue() {
        limitTo(4);

        QueueOptions options = storage.queues().find(Q).orElseThrow().options();

        assertThat(options.tenantLimit()).isEqualTo(4);
        assertThat(options.tenants()).isEqualTo(Tenants.IN_TURN);
        assertThat(storage.queues().stats(Q).count(TaskState.READY)).isZero();
    }

    @Test
    void turnsAreRefusedBesideOrdersThatKnowNoTurns() {
        List.of(TakeOrder.random(), TakeOrder.preferDistinct("company")).forEach(order -> assertThatExceptionOfType(
                        InvalidRequestException.class)
                .isThrownBy(() ->
                        QueueOptions.builder().tenantLimit(1).takeOrder(order).build())
                .withMessageContaining("tenants"));
    }
}
