package dev.leat.internal.leading;

import dev.leat.Leadership.Work;
import java.time.Duration;

/** What a leader does, and how often. */
sealed interface Assignment {
    Work work();

    record Once(Work work) implements Assignment {}

    record Repeated(Work work, Duration pause) implements Assignment {}
}
