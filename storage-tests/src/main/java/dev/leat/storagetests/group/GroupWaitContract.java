package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.TaskState;
import dev.leat.storagetests.worker.WorkerTest;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Waiting for the end of a group, also by a task of the worker that does the group's tasks. Covers R29, R38, R.3-10. */
public abstract class GroupWaitContract extends WorkerTest {
    private Group createWith(int tasks) {
        Group group = leat.createGroup(GroupSpec.named("g"));
        IntStream.range(0, tasks).forEach(i -> put(task().payload("child").group(group.id())));
        return group;
    }

    @Test
    void whoWaitsForAGroupIsAnsweredWhenItHasEnded() throws Exception {
        Gate gate = new Gate();
        worker(gate).start();
        Group group = createWith(1);
        group.start();
        gate.awaitInside(1);
        CompletableFuture<GroupInfo> waiting = CompletableFuture.supplyAsync(() -> awaitEnd(group));
        assertThat(waiting).isNotDone();

        gate.openForGood();

        assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS).state()).isEqualTo(GroupInfo.State.COMPLETED);
    }

    private static GroupInfo awaitEnd(Group group) {
        try {
            return group.awaitEnd(LONG);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whoWaitsInVainGetsTheGroupAsItIs() throws InterruptedException {
        Group group = createWith(1);

        assertThat(group.awaitEnd(Duration.ZERO).state()).isEqualTo(GroupInfo.State.OPEN);
        assertThat(group.awaitEnd(Duration.ofMillis(20)).open()).isEqualTo(1);
    }

    /** One slot, for the task that waits and for all that it waits for. */
    @Test
    void aTaskThatWaitsForAGroupItHasOpenedHoldsNoSlot() { // R38
        Worker worker = leat.worker()
                .handle(Q, String.class, (payload, task) -> {
                    if (payload.equals("parent")) {
                        Group group = createWith(3);
                        group.start();
                        group.awaitEnd(LONG);
                        task.ack(group.info().done() + " done");
                    }
                })
                .concurrency(1)
                .start();

        long parent = put("parent");

        awaitState(parent, TaskState.DONE);
        assertThat(peek(parent).message()).contains("3 done");
        assertThat(worker.stop(LONG).clean()).isTrue();
    }
}
