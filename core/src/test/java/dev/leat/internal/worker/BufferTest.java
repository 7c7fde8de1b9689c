package dev.leat.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.worker.PriorityLimits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What only shows in the moment between a task's arrival and its start, which no test of a running worker can hold. */
@Tag("jvm")
class BufferTest {
    private final Leat leat = Leat.open("memory:");
    private final ServedQueue queue = new ServedQueue("q");

    @AfterEach
    void close() {
        leat.close();
    }

    private TakenTask task(int priority) throws InterruptedException {
        leat.put(NewTask.to("q").priority(priority).build());
        return leat.take(TakeRequest.from("q"), Duration.ZERO).get(0);
    }

    @Test
    void aTaskAtHandFillsOneOfThePlacesThatImportantTasksDoNotNeed() throws InterruptedException {
        PriorityLimits limits = PriorityLimits.of(Map.of(0, 2, 1, 1));
        Buffer buffer = new Buffer(List.of(queue), limits.most(), limits, () -> {});
        assertThat(buffer.wanted(0, Map.of()))
                .extracting(TakeRequest::maxPriority)
                .containsExactly(Integer.MAX_VALUE);

        buffer.add(queue, List.of(task(1)));

        assertThat(buffer.wanted(0, Map.of()))
                .extracting(TakeRequest::maxPriority)
                .containsExactly(0);
    }

    @Test
    void aCloseAnswersWhatAHandlerThatWaitedForOthersHasLeftAtHand() throws InterruptedException {
        Buffer buffer = new Buffer(List.of(queue), 1, null, () -> {});
        buffer.lendSlot();
        assertThat(buffer.drain()).isEmpty();
        TakenTask left = task(0);
        assertThat(buffer.add(queue, List.of(left))).isTrue();

        assertThat(buffer.close()).containsExactly(left);
    }

    @Test
    void aClosedBufferTakesNothingInThoughAHandlerWaitsForOthers() throws InterruptedException {
        Buffer buffer = new Buffer(List.of(queue), 1, null, () -> {});
        buffer.lendSlot();
        buffer.close();

        assertThat(buffer.add(queue, List.of(task(0)))).isFalse();
        assertThat(buffer.wanted(0, Map.of())).isEmpty();
    }
}
