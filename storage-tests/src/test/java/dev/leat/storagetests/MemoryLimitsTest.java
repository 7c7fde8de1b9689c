package dev.leat.storagetests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the memory storage promises about its own size (rule 17, 20). */
@Tag("jvm")
class MemoryLimitsTest {
    private static final int MOST = 10_000;

    private final MemoryFixture fixture = new MemoryFixture();
    private final Storage storage = fixture.storage();
    private String session;

    @BeforeEach
    void open() {
        storage.queues().create("q", QueueOptions.standard());
        session = storage.sessions().open(SessionSpec.named("test").deadAfter(Duration.ofDays(1)));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void atMostTenThousandFinishedTasksAreKept() {
        long first = finish(false);
        for (int i = 1; i <= MOST; i++) {
            finish(false);
        }

        assertThat(storage.peek(first)).isEmpty();
        assertThat(storage.queues().stats("q").count(TaskState.DONE)).isEqualTo(MOST);
    }

    @Test
    void anOutcomeThatSomebodyMayWaitForIsNotForgottenForLackOfSpace() {
        List<Long> addressed = new ArrayList<>();
        for (int i = 0; i <= MOST; i++) {
            addressed.add(finish(true));
        }

        assertThat(storage.outcome(addressed.get(0))).isPresent();
        fixture.advance(Duration.ofMinutes(10));
        finish(true);
        assertThat(storage.queues().stats("q").count(TaskState.DONE)).isLessThanOrEqualTo(MOST);
    }

    private long finish(boolean withAddress) {
        NewTask.Builder task = NewTask.to("q");
        if (withAddress) {
            task.address("a");
        }
        long id = storage.put(List.of(task.build())).get(0).id();
        storage.settle(List.of(Settle.ack(
                storage.take(TakeRequest.from("q").session(session)).get(0).lease())));
        return id;
    }
}
