package dev.leat.internal.leading;

import dev.leat.Leadership.Work;
import java.time.Duration;

/** A piece of work of a leader, run once or repeatedly. */
sealed interface Assignment {
    Work work();

    record Once(Work work) implements Assignment {}

    record Repeated(Work work, Duration pause) implements Assignment {}
}
