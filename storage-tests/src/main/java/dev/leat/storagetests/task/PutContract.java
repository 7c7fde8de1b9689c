package dev.leat.storagetests.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.When;
import dev.leat.error.GroupNotFoundException;
import dev.leat.error.IdempotencyKeyReusedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.storagetests.ContractTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a put accepts and what a task carries. Covers T14, T.3-16, G3, G10, N9, N14, N16, rule 1, 22, 29. */
public abstract class PutContract extends ContractTest {
    private static final String HELLO_SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    private static NewTask.Builder withEverything() {
        return task().payload(Payload.of(new byte[] {0, 1, -1, 127, -128, 0}, "application/x-thing"))
                .priority(-7)
                .ttl(minutes(10))
                .ttr(seconds(30))
                .key("key ключ")
                .address("address 住所")
                .type("type 🙂")
                .tenant("tenant 'quoted' \"twice\"")
                .businessGroup("group%_\\")
                .origin("origin")
                .destination("destination")
                .externalKey("external")
                .tag("company", Long.MAX_VALUE)
                .tag("Größe", Long.MIN_VALUE)
                .trace("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .trace("empty", "");
    }

    private static void assertCarries(Task task, NewTask given) {
        assertThat(task.queue()).isEqualTo(given.queue());
        assertThat(task.payload()).isEqualTo(given.payload());
        assertThat(task.priority()).isEqualTo(given.priority().orElseThrow());
        assertThat(task.ttr()).isEqualTo(given.ttr());
        assertThat(task.expires()).contains(task.due().plus(given.ttl().orElseThrow()));
        assertThat(task.key()).isEqualTo(given.key());
        assertThat(task.address()).isEqualTo(given.address());
        assertThat(task.group()).isEqualTo(given.group());
        assertThat(task.type()).isEqualTo(given.type());
        assertThat(task.tenant()).isEqualTo(given.tenant());
        assertThat(task.businessGroup()).isEqualTo(given.businessGroup());
        assertThat(task.origin()).isEqualTo(given.origin());
        assertThat(task.destination()).isEqualTo(given.destination());
        assertThat(task.externalKey()).isEqualTo(given.externalKey());
        assertThat(task.tags()).isEqualTo(given.tags());
        assertThat(task.trace()).isEqualTo(given.trace());
        assertThat(task.payloadHash()).isPresent();
        assertThat(task.deadOf()).isEmpty();
    }

    private long live() {
        return storage.queues().stats(Q).live();
    }

    // What a task carries

    @Test
    void everythingATaskCarriesComesBackUnchanged() { // N9, N16, R2, R7, R30
        long group = storage.groups().create(GroupSpec.named("g")).id();
        NewTask given = withEverything().group(group).build();
        long id = storage.put(List.of(given)).get(0).id();
        storage.groups().start(group);

        assertCarries(peek(id), given);
        assertCarries(storage.list(TaskQuery.of(Q)).get(0), given);
        assertCarries(take().task(), given);
    }

    @Test
    void everyTaskOfABatchKeepsWhatIsItsOwn() {
        List<NewTask> batch = List.of(
                task("plain").build(),
                withEverything().build(),
                task("tagged").tag("t", 1).build());

        List<PutResult> results = storage.put(batch);

        assertThat(peek(results.get(0).id()).key()).isEmpty();
        assertCarries(peek(results.get(1).id()), batch.get(1));
        assertThat(peek(results.get(2).id()).tags()).isEqualTo(Map.of("t", 1L));
        assertThat(peek(results.get(2).id()).payload()).isEqualTo(Payload.of("tagged"));
    }

    @Test
    void aTaskNeedsNothingButItsQueue() { // N9, N16
        long id = put(task()).id();

        Task task = peek(id);
        assertThat(task.state()).isEqualTo(TaskState.READY);
        assertThat(task.payload()).isEqualTo(Payload.empty());
        assertThat(task.priority()).isZero();
        assertThat(task.created()).isEqualTo(now());
        assertThat(task.due()).isEqualTo(now());
        assertThat(List.of(task.expires(), task.previousDue(), task.finished())).allMatch(o -> o.isEmpty());
        assertThat(List.of(task.ttr(), task.key(), task.address(), task.type(), task.tenant(), task.message()))
                .allMatch(o -> o.isEmpty());
        assertThat(List.of(task.businessGroup(), task.origin(), task.destination(), task.externalKey()))
                .allMatch(o -> o.isEmpty());
        assertThat(task.tags()).isEmpty();
        assertThat(task.trace()).isEmpty();
        assertThat(List.of(task.attempts(), task.failures(), task.losses(), task.releases()))
                .containsOnly(0);
        assertThat(task.cancelRequested()).isFalse();
    }

    @Test
    void whatATaskDoesNotSayComesFromItsQueue() { // T9
        storage.queues()
                .declare(
                        Q,
                        QueueOptions.builder()
                                .priority(4)
                                .ttl(minutes(3))
                                .ttr(seconds(20))
                                .build(),
                        QueueInfo.SetBy.CODE);

        Task silent = peek(put("silent"));
        Task outspoken =
                peek(put(task().priority(1).ttl(minutes(1)).ttr(seconds(5))).id());

        assertThat(silent.priority()).isEqualTo(4);
        assertThat(silent.expires()).contains(now().plus(minutes(3)));
        assertThat(silent.ttr()).contains(seconds(20));
        assertThat(outspoken.priority()).isEqualTo(1);
        assertThat(outspoken.expires()).contains(now().plus(minutes(1)));
        assertThat(outspoken.ttr()).contains(seconds(5));
    }

    @Test
    void aPayloadWithAnExternalKeyIsHashed() { // N14
        long id = put(task("hello").externalKey("x")).id();

        assertThat(peek(id).payloadHash()).contains(HELLO_SHA256);
        assertThat(take().task().payloadHash()).contains(HELLO_SHA256);
    }

    @Test
    void withoutExternalKeyOrPayloadThereIsNoHash() { // N14
        assertThat(peek(put("hello")).payloadHash()).isEmpty();
        assertThat(peek(put(task().externalKey("x")).id()).payloadHash()).isEmpty();
    }

    @Test
    void everyPriorityIsKept() {
        for (int priority : new int[] {Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE}) {
            assertThat(peek(put(task().priority(priority)).id()).priority()).isEqualTo(priority);
        }
    }

    @Test
    void anEmptyBatchPutsNothing() {
        assertThat(storage.put(List.of())).isEmpty();
        assertThat(live()).isZero();
    }

    // Ids

    @Test
    void idsAscendInTheOrderOfPuts() {
        List<NewTask> batch = IntStream.range(0, 50)
                .mapToObj(i -> task("t" + i).priority(-i).build())
                .toList();

        List<Long> ids = IntStream.range(0, 3)
                .boxed()
                .flatMap(i -> storage.put(batch).stream())
                .map(PutResult::id)
                .toList();

        assertThat(ids).doesNotHaveDuplicates().isSorted().hasSize(150);
        assertThat(peek(ids.get(51)).payload().text()).isEqualTo("t1");
    }

    @Test
    void anIdIsNeverUsedAgain() { // T.3-16
        storage.queues()
                .declare(Q, QueueOptions.builder().retention(Retention.none()).build(), QueueInfo.SetBy.CODE);
        long acknowledged = put("a");
        ack(take().lease());
        long deleted = put("b");
        storage.delete(deleted);
        long dropped = put("c");
        storage.queues().drop(Q);
        storage.queues().create(Q, QueueOptions.standard());
        advance(Duration.ofHours(1));

        assertThat(List.of(acknowledged, deleted, dropped, put("d")))
                .doesNotHaveDuplicates()
                .isSorted();
    }

    @Test
    void idsAreSafeInJson() { // rule 29
        assertThat(put("a")).isPositive().isLessThan(1L << 53);
    }

    // All or none

    @Test
    void oneTaskForAnUnknownQueueRefusesItsWholeBatch() {
        List<NewTask> batch = List.of(
                task("a").idempotencyKey("i").address("x").build(),
                NewTask.to("nobody").build(),
                task("b").build());

        assertThatExceptionOfType(QueueNotFoundException.class).isThrownBy(() -> storage.put(batch));

        assertThat(live()).isZero();
        assertThat(storage.findAddress(Q, "x")).isEmpty();
        assertThat(put(task().idempotencyKey("i")).created()).isTrue();
    }

    @Test
    void oneTaskForAnUnknownGroupRefusesItsWholeBatch() {
        List<NewTask> batch = List.of(
                task("a").build(),
                task("b").group(987_654_321).build(),
                task("c").build());

        assertThatExceptionOfType(GroupNotFoundException.class).isThrownBy(() -> storage.put(batch));

        assertThat(live()).isZero();
    }

    // When

    @Test
    void aDelayedTaskIsScheduledAndDueAfterItsDelay() { // G10
        PutResult result = put(task().delay(seconds(90)));

        assertThat(result.state()).isEqualTo(TaskState.SCHEDULED);
        assertThat(peek(result.id()).due()).isEqualTo(now().plusSeconds(90));
        assertThat(peek(result.id()).created()).isEqualTo(now());
        assertThat(takeIds(1)).isEmpty();
    }

    @Test
    void aTaskMayBeDueAtAnInstant() { // G3
        PutResult result = put(task().due(When.at(now().plusSeconds(90))));

        assertThat(result.state()).isEqualTo(TaskState.SCHEDULED);
        assertThat(peek(result.id()).due()).isEqualTo(now().plusSeconds(90));
    }

    @Test
    void aDueTimeThatHasPassedIsNow() { // G3, G6
        long past = put(task().due(When.at(now().minusSeconds(90)))).id();
        long negative = put(task().delay(seconds(-5))).id();

        assertThat(peek(past).due()).isEqualTo(now());
        assertThat(peek(negative).due()).isEqualTo(now());
        assertThat(takeIds(2)).containsExactly(past, negative);
    }

    // Idempotency

    @Test
    void aRepeatedPutAnswersWithTheFirstTask() { // rule 22
        PutResult first = put(task("a").idempotencyKey("i"));

        PutResult second = put(task("a").idempotencyKey("i"));

        assertThat(first.created()).isTrue();
        assertThat(second).isEqualTo(new PutResult(first.id(), false, TaskState.READY));
        assertThat(live()).isEqualTo(1);
    }

    @Test
    void aKeyThatWasUsedForSomethingElseIsRefusedWithItsWholeBatch() {
        put(task("a").idempotencyKey("i", "one"));
        NewTask addressed = task("b").idempotencyKey("j", "one").address("x").build();
        storage.put(List.of(addressed));

        for (NewTask other : List.of(
                task("b").idempotencyKey("i", "two").build(),
                addressed.toBuilder().idempotencyKey("j", "two").build())) {
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> storage.put(List.of(task("c").build(), other)))
                    .withMessageContaining(other.idempotencyKey().orElseThrow());
        }
        assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                .isThrownBy(() -> storage.put(List.of(
                        task("a").idempotencyKey("k", "one").build(),
                        task("b").idempotencyKey("k", "two").build())));

        assertThat(live()).isEqualTo(2);
    }

    @Test
    void aFingerprintIsComparedOnlyWithAnother() {
        long id = put(task("a").idempotencyKey("i", "one")).id();
        long other = put(task("a").idempotencyKey("j")).id();

        assertThat(put(task("a").idempotencyKey("i", "one"))).isEqualTo(new PutResult(id, false, TaskState.READY));
        assertThat(put(task("a").idempotencyKey("i")).id()).isEqualTo(id);
        assertThat(put(task("a").idempotencyKey("j", "two")).id()).isEqualTo(other);
    }

    @Test
    void aRepeatedPutIsRecognisedAfterTheTaskHasEnded() {
        long id = put(task("a").idempotencyKey("i")).id();
        ack(take().lease());

        assertThat(put(task("a").idempotencyKey("i"))).isEqualTo(new PutResult(id, false, TaskState.DONE));
        assertThat(live()).isZero();
    }

    @Test
    void aRepeatedPutIsRecognisedThoughItsTaskIsKeptNoLonger() {
        storage.queues()
                .declare(Q, QueueOptions.builder().retention(Retention.none()).build(), QueueInfo.SetBy.CODE);
        long id = put(task("a").idempotencyKey("i")).id();
        ack(take().lease());

        PutResult second = put(task("a").idempotencyKey("i"));

        assertThat(second).isEqualTo(new PutResult(id, false, TaskState.DONE));
        assertThat(live()).isZero();
    }

    @Test
    void theRepeatsOfABatchAreRecognisedAmongNewOnes() {
        PutResult first = put(task("a").idempotencyKey("i"));

        List<PutResult> results = storage.put(List.of(
                task("b").idempotencyKey("j").build(),
                task("a").idempotencyKey("i").build(),
                task("c").build(),
                task("d").idempotencyKey("k").address("x").build()));

        assertThat(results).extracting(PutResult::created).containsExactly(true, false, true, true);
        assertThat(results.get(1).id()).isEqualTo(first.id());
        assertThat(takeIds(9))
                .containsExactly(
                        first.id(),
                        results.get(0).id(),
                        results.get(2).id(),
                        results.get(3).id());
    }

    @Test
    void aRepeatWithinOneBatchIsRecognised() {
        NewTask task = task("a").idempotencyKey("i").build();

        List<PutResult> results = storage.put(List.of(task, task));

        assertThat(results).extracting(PutResult::created).containsExactly(true, false);
        assertThat(results.get(1).id()).isEqualTo(results.get(0).id());
    }

    @Test
    void anIdempotencyKeyIsKnownForTenMinutesInItsQueueAlone() {
        storage.queues().create("other", QueueOptions.standard());
        long id = put(task().idempotencyKey("i")).id();

        assertThat(put(NewTask.to("other").idempotencyKey("i")).created()).isTrue();
        advance(minutes(10).minusSeconds(1));
        assertThat(put(task().idempotencyKey("i")).id()).isEqualTo(id);
        advance(seconds(1));
        assertThat(put(task().idempotencyKey("i")).created()).isTrue();
    }

    @Test
    void aRefusedPutIsNotRemembered() {
        storage.queues().declare(Q, QueueOptions.builder().capacity(1).build(), QueueInfo.SetBy.CODE);
        put("in the way");
        assertThatExceptionOfType(QueueFullException.class)
                .isThrownBy(() -> put(task("a").idempotencyKey("i")));
        ack(take().lease());

        assertThat(put(task("a").idempotencyKey("i")).created()).isTrue();
    }

    // Limits

    @Test
    void aPayloadMayHave16MebibytesAndNotOneByteMore() {
        byte[] largest = new byte[16 * 1024 * 1024];
        largest[largest.length - 1] = 42;

        put(task().payload(largest));

        TakenTask taken = take();
        assertThat(taken.payload().size()).isEqualTo(largest.length);
        assertThat(taken.payload().bytes()[largest.length - 1]).isEqualTo((byte) 42);
        assertThatExceptionOfType(InvalidRequestException.class)
                .isThrownBy(() -> task().payload(new byte[largest.length + 1]))
                .withMessageContaining("16777216");
    }

    @Test
    void blankAndOverlongNamesAreRefused() {
        Map<String, BiFunction<NewTask.Builder, String, NewTask.Builder>> setters = Map.ofEntries(
                Map.entry("key", NewTask.Builder::key),
                Map.entry("address", NewTask.Builder::address),
                Map.entry("type", NewTask.Builder::type),
                Map.entry("tenant", NewTask.Builder::tenant),
                Map.entry("businessGroup", NewTask.Builder::businessGroup),
                Map.entry("origin", NewTask.Builder::origin),
                Map.entry("destination", NewTask.Builder::destination),
                Map.entry("externalKey", NewTask.Builder::externalKey),
                Map.entry("idempotencyKey", NewTask.Builder::idempotencyKey));

        setters.forEach((field, set) -> {
            for (String wrong : List.of("", "  ", "nul\0", "x".repeat(513))) {
                assertRefused(field, () -> set.apply(task(), wrong));
            }
        });
    }

    @Test
    void namesOf512CharactersAreKept() {
        String longest = "é".repeat(512);
        long id = put(task().key(longest)
                        .address(longest)
                        .type(longest)
                        .tenant(longest)
                        .idempotencyKey(longest))
                .id();

        assertThat(storage.findAddress(Q, longest)).hasValue(id);
        assertThat(peek(id).key()).contains(longest);
        assertThat(peek(id).tenant()).contains(longest);
    }

    @Test
    void timesAndTagsHaveLimits() {
        assertRefused("ttl", () -> task().ttl(Duration.ZERO));
        assertRefused("ttr", () -> task().ttr(seconds(-1)));
        assertRefused("tag", () -> task().tag(" ", 1));
        assertRefused("tag", () -> IntStream.rangeClosed(0, 64)
                .boxed()
                .reduce(task(), (builder, i) -> builder.tag("tag" + i, i), (a, b) -> b));
        assertRefused("group", () -> task().group(0));
    }

    private static void assertRefused(String field, ThrowingCallable call) {
        assertThatThrownBy(call)
                .as(field)
                .isInstanceOfSatisfying(InvalidRequestException.class, e -> assertThat(e.field())
                        .isEqualTo(field))
                .hasMessageContaining(field);
    }

    @Test
    void aTimeThatIsFarTooLongIsRefusedBeforeAnythingHappens() {
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);

        assertThatThrownBy(() -> task().ttl(forEver))
                .hasMessageContaining("ttl")
                .hasMessageContaining("days");
        assertThatThrownBy(() -> task().ttr(forEver)).hasMessageContaining("ttr");
        assertThatThrownBy(() -> task().delay(forEver)).hasMessageContaining("delay");
        assertThatThrownBy(() -> task().due(When.at(Instant.MAX))).hasMessageContaining("due");
        assertThatThrownBy(() -> Retention.all(forEver)).hasMessageContaining("retention");
        assertThatThrownBy(() -> Backoff.fixed(forEver)).hasMessageContaining("backoff");
    }
}
