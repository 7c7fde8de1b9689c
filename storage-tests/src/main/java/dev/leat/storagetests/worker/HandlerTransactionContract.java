package dev.leat.storagetests.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leat.Lease;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.SettleResult.Status;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.storage.HandlerTransaction;
import dev.leat.storage.Notice;
import dev.leat.storagetests.CapabilityContract;
import dev.leat.storagetests.ContractTest;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * A settle in a handler's transaction is a settle like any other. Storages without such transactions refuse them, see
 * {@link CapabilityContract}. Covers rule 9, 14.
 */
public abstract class HandlerTransactionContract extends ContractTest {
    private Status commit(Settle settle) {
        try (HandlerTransaction transaction = storage.begin()) {
            return transaction.commit(settle).status();
        }
    }

    @Test
    void theTaskIsSettledByTheCommit() {
        long id = put("a");
        Lease lease = take().lease();

        assertThat(commit(Settle.ack(lease))).isEqualTo(Status.DONE);

        assertThat(state(id)).isEqualTo(TaskState.DONE);
        assertThat(ack(lease).status()).isEqualTo(Status.ALREADY);
    }

    @Test
    void whoWaitsForTheTaskIsToldAfterTheCommit() { // R25, R6
        long id = put("a");
        Lease lease = take().lease();
        storage.statuses(Set.of(id));
        Collection<Boolean> isEndedWhenTold = new ConcurrentLinkedQueue<>();
        try (Registration listening = storage.signal().listen(notice -> {
            if (notice.equals(new Notice.TaskNews(id))) {
                isEndedWhenTold.add(storage.outcome(id).isPresent());
            }
        })) {
            commit(Settle.ack(lease));
        }

        assertThat(isEndedWhenTold).isNotEmpty().containsOnly(true);
    }

    @Test
    void aFailureIsChargedAndRecordedAsAnyOther() {
        long id = put("a");

        assertThat(commit(Settle.fail(take().lease(), "no"))).isEqualTo(Status.DONE);

        assertThat(peek(id).failures()).isEqualTo(1);
        assertThat(storage.attempts(id)).hasSize(1);
    }

    @Test
    void aTransactionThatIsClosedSettlesNothing() throws SQLException {
        long id = put("a");
        Lease lease = take().lease();

        HandlerTransaction transaction = storage.begin();
        assertThat(transaction.connection().getAutoCommit()).isFalse();
        transaction.close();
        transaction.close();

        assertThat(state(id)).isEqualTo(TaskState.TAKEN);
        assertThat(catchThrowable(() -> transaction.connection().createStatement()))
                .isInstanceOf(SQLException.class);
        assertThat(ack(lease).status()).isEqualTo(Status.DONE);
    }

    @Test
    void aLeaseThatIsLostIsNotSettled() {
        long id = put("a");
        Lease lease = take().lease();
        storage.queues().releaseAll(Q);

        assertThat(commit(Settle.ack(lease))).isEqualTo(Status.GONE);

        assertThat(state(id)).isEqualTo(TaskState.READY);
    }

    @Test
    void aLeaseThatWasSettledBeforeIsNotSettledAgain() {
        put("a");
        Lease lease = take().lease();
        ack(lease);

        assertThat(commit(Settle.ack(lease))).isEqualTo(Status.ALREADY);
    }

    @Test
    void aLeaseWhoseTimeIsUpIsLostEvenIfNobodyHasSwept() {
        long id = put("a");
        Lease lease = take(TakeRequest.from(Q).ttr(seconds(5))).get(0).lease();
        fixture.advance(seconds(6));

        assertThat(commit(Settle.ack(lease))).isEqualTo(Status.GONE);

        assertThat(peek(id).losses()).isEqualTo(1);
    }

    @Test
    void theNextTaskOfTheKeyIsReady() {
        put(task("a").key("k"));
        long second = put(task("b").key("k")).id();
        Lease lease = take().lease();
        assertThat(take(9)).isEmpty();

        commit(Settle.ack(lease));

        assertThat(state(second)).isEqualTo(TaskState.READY);
    }
}
