package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import dev.leat.storage.Lock;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The connection breaks in the middle of a call: nothing is lost, nothing is done twice, and no lease stays without a holder. */
abstract class ConnectionLossContract {
    static final String Q = "q";
    /** But not the isolation level READ COMMITTED of a new connection. */
    static final String COMMIT = "COMMIT(?!TED)";

    CuttingProxy proxy;
    Storage storage;
    String session;

    abstract CuttingProxy newProxy();

    /** The URL of an empty database through the proxy. */
    abstract String url();

    @BeforeEach
    void open() {
        proxy = newProxy();
        storage = Storages.open(url(), StorageSettings.standard());
        storage.queues()
                .create(Q, QueueOptions.builder().takeOrder(TakeOrder.newest()).build());
        session = storage.sessions().open(SessionSpec.named("test"));
    }

    @AfterEach
    void close() {
        storage.close();
        proxy.close();
    }

    long put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0).id();
    }

    TakenTask take() {
        return storage.take(request()).get(0);
    }

    TakeRequest request() {
        return TakeRequest.from(Q).session(session);
    }

    /** Leat takes these the general way on every database. */
    TakeRequest newestFirst() {
        return request().order(TakeOrder.newest());
    }

    SettleResult.Status settle(Settle settle) {
        return storage.settle(List.of(settle)).get(0).status();
    }

    TaskState state(long id) {
        return storage.peek(id).orElseThrow().state();
    }

    void assertTakenOnce(CuttingProxy.Where where, String words, TakeRequest request) {
        long id = put(NewTask.to(Q));
        proxy.cut(where, words);

        // A server that has not yet seen the end of the connection keeps the row locked, and takes pass it by.
        List<TakenTask> taken = await().until(() -> storage.take(request), answer -> !answer.isEmpty());

        assertThat(proxy.hasCut()).isTrue();
        assertThat(taken).extracting(TakenTask::id).containsExactly(id);
        assertThat(storage.peek(id).orElseThrow().attempts()).isEqualTo(1);
        assertThat(settle(Settle.ack(taken.get(0).lease()))).isEqualTo(SettleResult.Status.DONE);
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    void assertGivenBackWhenNobodyCanLook(String words, TakeRequest request) {
        long id = put(NewTask.to(Q));
        proxy.cutAndStayDown(CuttingProxy.Where.BEFORE_THE_ANSWER, words);

        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> storage.take(request));
        proxy.comeBack();
        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        storage.sweep(new Sweep(Sweep.Sessions.SPARE, 100));

        Task back = storage.peek(id).orElseThrow();
        assertThat(back.state()).isEqualTo(TaskState.READY);
        assertThat(back.losses()).isZero();
        assertThat(take().id()).isEqualTo(id);
    }

    @ParameterizedTest
    @EnumSource
    void aSettleIsRepeatedUntilItsHolderHasAnAnswer(CuttingProxy.Where where) {
        long id = put(NewTask.to(Q).key("k"));
        TakenTask taken = take();
        proxy.cut(where, COMMIT);

        SettleResult.Status status = settle(Settle.ack(taken.lease()));

        assertThat(proxy.hasCut()).isTrue();
        assertThat(status)
                .isEqualTo(
                        where == CuttingProxy.Where.BEFORE_THE_SERVER
                                ? SettleResult.Status.DONE
                                : SettleResult.Status.ALREADY);
        assertThat(state(id)).isEqualTo(TaskState.DONE);
    }

    @ParameterizedTest
    @EnumSource
    void aFailureIsChargedOnce(CuttingProxy.Where where) {
        long id = put(NewTask.to(Q));
        TakenTask taken = take();
        proxy.cut(where, COMMIT);

        assertThat(settle(Settle.fail(taken.lease(), "no"))).isNotEqualTo(SettleResult.Status.GONE);

        assertThat(storage.peek(id).orElseThrow().failures()).isEqualTo(1);
        assertThat(storage.attempts(id)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void aTakeFindsItsLeasesAgain(CuttingProxy.Where where) {
        assertTakenOnce(where, COMMIT, newestFirst());
    }

    @Test
    void leasesThatNobodyCouldLookForAreGivenBack() {
        assertGivenBackWhenNobodyCanLook(COMMIT, newestFirst());
    }

    @ParameterizedTest
    @EnumSource
    void aPutInDoubtIsToldAndMayBeRepeatedWithItsIdempotencyKey(CuttingProxy.Where where) {
        NewTask task = NewTask.to(Q).idempotencyKey("once").build();
        proxy.cut(where, COMMIT);
        assertThatExceptionOfType(PutOutcomeUnknownException.class).isThrownBy(() -> storage.put(List.of(task)));

        PutResult again = storage.put(List.of(task)).get(0);

        assertThat(again.created()).isEqualTo(where == CuttingProxy.Where.BEFORE_THE_SERVER);
        assertThat(storage.queues().stats(Q).live()).isEqualTo(1);
    }

    @Test
    void aPutThatIsCutOffBeforeItsCommitIsRepeated() {
        proxy.cut(CuttingProxy.Where.BEFORE_THE_ANSWER, "INSERT INTO leat_task");

        put(NewTask.to(Q).idempotencyKey("once"));

        assertThat(proxy.hasCut()).isTrue();
        assertThat(storage.queues().stats(Q).live()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aLockIsFoundToBeOursAlready(CuttingProxy.Where where) {
        proxy.cut(where, COMMIT);

        Optional<Lock.Held> held = storage.lock().tryAcquire("purge", Duration.ofMinutes(1));

        assertThat(proxy.hasCut()).isTrue();
        assertThat(held).isPresent();
        assertThat(storage.lock().tryAcquire("purge", Duration.ofMinutes(1))).isEmpty();
        assertThat(held.get().renew()).isTrue();
    }
}
