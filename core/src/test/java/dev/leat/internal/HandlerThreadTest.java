package dev.leat.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.TaskState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A blocking wait inside a handler lends the slot of the handler. */
class HandlerThreadTest {
    private final List<String> steps = new ArrayList<>();

    private final class SteppingSlot implements HandlerThread.Slot {
        private final String name;
        private boolean lent;

        SteppingSlot(String name) {
            this.name = name;
        }

        @Override
        public boolean lend() {
            if (lent) {
                return false;
            }
            lent = true;
            return steps.add(name + " lent");
        }

        @Override
        public void takeBack() {
            lent = false;
            steps.add(name + " taken back");
        }
    }

    private boolean waitFor(String what) {
        return HandlerThread.lendSlotDuring(() -> steps.add(what));
    }

    @Test
    void aWaitInAHandlerLendsItsSlot() {
        assertThat(HandlerThread.<Boolean, RuntimeException>run(new SteppingSlot("a"), () -> waitFor("wait")))
                .isTrue();

        assertThat(steps).containsExactly("a lent", "wait", "a taken back");
    }

    @Test
    void aWaitWithinAWaitLendsNothingMore() {
        HandlerThread.run(
                new SteppingSlot("a"), () -> HandlerThread.lendSlotDuring(() -> waitFor("inner") && waitFor("next")));

        assertThat(steps).containsExactly("a lent", "inner", "next", "a taken back");
    }

    @Test
    void aWaitOutsideOfAHandlerLendsNothing() {
        HandlerThread.run(new SteppingSlot("a"), () -> steps.add("handler"));

        waitFor("wait");

        assertThat(steps).containsExactly("handler", "wait");
    }

    @Test
    void aHandlerWithinAHandlerHasItsOwnSlot() {
        HandlerThread.run(new SteppingSlot("a"), () -> {
            HandlerThread.run(new SteppingSlot("b"), () -> waitFor("inner"));
            return waitFor("outer");
        });

        assertThat(steps).containsExactly("b lent", "inner", "b taken back", "a lent", "outer", "a taken back");
    }

    @Test
    void aWaitThatThrowsGivesTheSlotBack() {
        assertThatThrownBy(() -> HandlerThread.run(
                        new SteppingSlot("a"),
                        () -> HandlerThread.lendSlotDuring(() -> {
                            throw new IOException("lost");
                        })))
                .isInstanceOf(IOException.class);

        assertThat(steps).containsExactly("a lent", "a taken back");
    }

    @Test
    void aWorkerRunsAnotherTaskInTheSlotOfAWaitingHandler() {
        CountDownLatch childRan = new CountDownLatch(1);
        try (Leat leat = Leat.open("memory:")) {
            leat.worker()
                    .handle("q", String.class, (payload, task) -> {
                        if (payload.equals("child")) {
                            childRan.countDown();
                        } else {
                            task.leat().put("q", "child");
                            if (!HandlerThread.lendSlotDuring(() -> childRan.await(10, TimeUnit.SECONDS))) {
                                task.bury("its child did not run");
                            }
                        }
                    })
                    .start();

            long parent = leat.put("q", "parent");

            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() ->
                            assertThat(leat.peek(parent).orElseThrow().state()).isEqualTo(TaskState.DONE));
        }
    }
}
