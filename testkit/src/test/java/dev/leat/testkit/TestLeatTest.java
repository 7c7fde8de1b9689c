package dev.leat.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TestLeatTest {
    private final TestLeat test = TestLeat.open();
    private final Leat leat = test.leat();
    private final List<String> handled = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        test.close();
    }

    private void startWorker() {
        leat.worker()
                .handle("q", String.class, (text, task) -> handled.add(text))
                .keepAlive(false)
                .start();
    }

    private long put(String text) {
        return leat.put(NewTask.to("q").payload(text).build()).id();
    }

    @Test
    void runDueReturnsAfterEveryReadyTaskWasHandled() {
        startWorker();
        for (int i = 0; i < 100; i++) {
            put("task " + i);
        }

        test.runDue();

        assertThat(handled).hasSize(100);
        assertThat(leat.queue("q").stats().count(TaskState.DONE)).isEqualTo(100);
    }

    @Test
    void tasksThatAHandlerPutsAreHandledToo() {
        leat.worker()
                .handle("first", String.class, (text, task) -> put("after " + text))
                .keepAlive(false)
                .start();
        startWorker();
        leat.put(NewTask.to("first").payload("mail").build());

        test.runDue();

        assertThat(handled).containsExactly("after mail");
    }

    @Test
    void aDelayedTaskRunsWhenTheClockReachesItsDueTime() {
        startWorker();
        leat.put(NewTask.to("q").payload("later").delay(Duration.ofHours(1)).build());

        test.advance(Duration.ofMinutes(59));
        assertThat(handled).isEmpty();

        test.advance(Duration.ofMinutes(1));
        assertThat(handled).containsExactly("later");
    }

    @Test
    void aFailedTaskIsRetriedAfterItsBackoff() {
        AtomicInteger attempts = new AtomicInteger();
        leat.queue("flaky")
                .declare(QueueOptions.builder()
                        .retry(RetryPolicy.standard().backoff(Backoff.fixed(Duration.ofMinutes(5))))
                        .build());
        leat.worker()
                .handle("flaky", String.class, (text, task) -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("the first attempt fails");
                    }
                })
                .keepAlive(false)
                .start();
        long id = leat.put(NewTask.to("flaky").payload("x").build()).id();

        test.runDue();
        assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.SCHEDULED);

        test.advance(Duration.ofMinutes(10));
        assertThat(attempts).hasValue(2);
        assertThat(leat.peek(id).orElseThrow().state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void workersOutliveAJumpOfTheClock() {
        startWorker();
        put("before");
        test.runDue();

        test.advance(Duration.ofDays(400));
        put("after");
        test.runDue();

        assertThat(handled).containsExactly("before", "after");
    }

    @Test
    void aTaskThatNoWorkerHandlesIsNamedInTheError() {
        put("alone");

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> test.awaitIdle(Duration.ofMillis(50)))
                .withMessageContaining("queue 'q' has 1 READY and 0 TAKEN tasks");
    }
}
