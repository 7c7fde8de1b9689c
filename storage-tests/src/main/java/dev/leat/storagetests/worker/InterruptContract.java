package dev.leat.storagetests.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.TaskState;
import dev.leat.worker.RunningTask;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers are interrupted by time limits and cancels, and by nothing else. Covers rule 8, 11. */
public abstract class InterruptContract extends WorkerTest {

    @Test
    void aTimeLimitInterruptsTheHandlerAndTheTaskComesBack() {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch interrupted = new CountDownLatch(1);
        leat.worker()
                .handle(Q, byte[].class, (payload, task) -> {
                    if (runs.incrementAndGet() == 1) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                            throw e;
                        }
                    }
                })
                .concurrency(2)
                .start();

        long id = put(task().ttr(Duration.ofSeconds(1)));

        awaitState(id, TaskState.DONE);
        await("the interrupt", () -> interrupted.getCount() == 0);
        assertThat(peek(id).losses()).isEqualTo(1);
        assertThat(peek(id).failures()).as("the late failure is fenced").isZero();
    }

    @Test
    void aTouchMovesTheTimeLimit() {
        start((payload, task) -> {
            task.touch(Duration.ofMinutes(1));
            new CountDownLatch(1).await(1_500, TimeUnit.MILLISECONDS);
        });

        long id = put(task().ttr(Duration.ofSeconds(1)));

        awaitState(id, TaskState.DONE);
        assertThat(peek(id).losses()).isZero();
        assertThat(peek(id).failures()).as("interrupts at the old limit").isZero();
    }

    @Test
    void aCancelInterruptsTheHandlerAndEndsTheTask() {
        Gate gate = new Gate();
        worker(gate).start();
        long id = put("a");
        gate.awaitInside(1);

        leat.cancel(id, "not needed any more");

        awaitState(id, TaskState.CANCELED);
        assertThat(peek(id).message()).hasValue("not needed any more");
        assertThat(gate.interrupted()).hasSize(1).allMatch(RunningTask::cancelRequested);
    }

    @Test
    void aCancelOfOneTaskInABatchIsNotChargedToTheOthers() {
        CountDownLatch inside = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        long canceled = put("a");
        long other = put("b");
        leat.worker()
                .handleBatch(Q, String.class, items -> {
                    if (runs.incrementAndGet() == 1) {
                        inside.countDown();
                        new CountDownLatch(1).await();
                    }
                })
                .start();
        await("the batch to run", () -> inside.getCount() == 0);

        leat.cancel(canceled, "not needed");

        awaitState(canceled, TaskState.CANCELED);
        awaitState(other, TaskState.DONE);
        assertThat(peek(other).failures()).isZero();
    }

    @Test
    void anInterruptFlagThatAHandlerLeavesBehindDoesNotReachTheNextOne() {
        start((payload, task) -> {
            if (payload.equals("first")) {
                Thread.currentThread().interrupt();
            } else {
                new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
            }
        });
        put("first");

        long second = put("second");

        awaitState(second, TaskState.DONE);
        assertThat(peek(second).failures()).isZero();
    }
}
