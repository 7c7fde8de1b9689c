package dev.leat.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.Task;
import dev.leat.TaskState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The delay before an unhandled task comes again. */
class UnhandledTasksTest {
    private static final Instant PUT = Instant.parse("2026-11-17T08:00:00Z");

    private static Duration delayAfter(Duration last) {
        return UnhandledTasks.delay(Task.of(1, NewTask.to("q").build(), TaskState.TAKEN, PUT, PUT.plus(last))
                .previousDue(PUT)
                .build());
    }

    @Test
    void theFirstDelayIsShort() {
        Task met = Task.of(1, NewTask.to("q").build(), TaskState.TAKEN, PUT, PUT.plusSeconds(3600))
                .build();

        assertThat(UnhandledTasks.delay(met)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void eachDelayGrowsByHalfUpToAMinute() {
        assertThat(delayAfter(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(150));
        assertThat(delayAfter(Duration.ofSeconds(20))).isEqualTo(Duration.ofSeconds(30));
        assertThat(delayAfter(Duration.ofSeconds(41))).isEqualTo(Duration.ofMinutes(1));
        assertThat(delayAfter(Duration.ofDays(9_999))).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void aTaskThatCameBackBeforeItsDueTimeGetsTheShortestDelay() {
        assertThat(delayAfter(Duration.ofSeconds(-5))).isEqualTo(Duration.ofMillis(100));
    }
}
