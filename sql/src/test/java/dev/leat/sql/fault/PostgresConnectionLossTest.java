package dev.leat.sql.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.storagetests.server.PostgresServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same for the single statements that PostgreSQL has for the hot ways. */
class PostgresConnectionLossTest extends ConnectionLossContract {
    private static final String TAKE = "WITH s AS MATERIALIZED";

    private final PostgresServer server = PostgresServer.shared(PostgresServer.Version.V18);

    @Override
    CuttingProxy newProxy() {
        return new CuttingProxy(server.port());
    }

    /** Without prepared statements, so that the proxy sees the words of each. */
    @Override
    String url() {
        return server.newDatabase().replace(":" + server.port(), ":" + proxy.port()) + "&prepareThreshold=0";
    }

    @ParameterizedTest
    @EnumSource
    void anAckAtOnceIsRepeatedUntilItsHolderHasAnAnswer(CuttingProxy.Where where) {
        long id = put(NewTask.to(Q));
        TakenTask taken = take();
        proxy.cut(where, "DELETE FROM leat_task");

        assertThat(settle(Settle.ack(taken.lease()))).isNotEqualTo(SettleResult.Status.GONE);

        assertThat(proxy.hasCut()).isTrue();
        assertThat(state(id)).isEqualTo(TaskState.DONE);
    }

    @ParameterizedTest
    @EnumSource
    void aTakeAtOnceFindsItsLeasesAgain(CuttingProxy.Where where) {
        assertTakenOnce(where, TAKE, request());
    }

    @Test
    void leasesOfATakeAtOnceThatNobodyCouldLookForAreGivenBack() {
        put(NewTask.to(Q));
        settle(Settle.ack(take().lease())); // from now on the queue is known, and takes are at once
        assertGivenBackWhenNobodyCanLook(TAKE, request());
    }

    @ParameterizedTest
    @EnumSource
    void aPutAtOnceInDoubtIsTold(CuttingProxy.Where where) {
        put(NewTask.to(Q));
        proxy.cut(where, "INSERT INTO leat_task");

        assertThatExceptionOfType(PutOutcomeUnknownException.class).isThrownBy(() -> put(NewTask.to(Q)));

        assertThat(storage.queues().stats(Q).live()).isEqualTo(where == CuttingProxy.Where.BEFORE_THE_SERVER ? 1 : 2);
    }
}
