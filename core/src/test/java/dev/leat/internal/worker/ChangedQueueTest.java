package dev.leat.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.queue.QueueOptions;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A worker goes on when the options of its queue are changed under it. */
class ChangedQueueTest {
    @Test
    void aWorkerGoesOnWhenItsQueueNoLongerFiltersTypes() throws Exception {
        try (Leat leat = Leat.open("memory:")) {
            leat.queue("q")
                    .create(QueueOptions.builder()
                            .typeFilter(QueueOptions.TypeFilter.ON)
                            .build());
            BlockingQueue<String> handled = new LinkedBlockingQueue<>();
            leat.worker()
                    .handle("q", "greet", String.class, (text, task) -> handled.add(text))
                    .start();
            leat.put(NewTask.to("q").type("greet").payload("before").build());
            assertThat(handled.poll(20, TimeUnit.SECONDS)).isEqualTo("before");
            leat.queue("q").configure(QueueOptions.standard());

            leat.put(NewTask.to("q").type("greet").payload("after").build());

            assertThat(handled.poll(20, TimeUnit.SECONDS)).isEqualTo("after");
        }
    }
}
