package dev.leat.storage;

import dev.leat.Registration;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Carries notices to listeners. A notice can arrive late, twice or without a reason, or be lost. A lost notice costs its listener at most
 * {@link #missInterval()}, never a task. {@link dev.leat.storage} says how stable this interface is.
 */
public interface Signal {
    /** Sends the notice to every listener. Callers commit the change first. */
    void send(Notice notice);

    /** Calls {@code listener} for each notice until the registration is closed. A listener returns quickly and never blocks. */
    Registration listen(Consumer<Notice> listener);

    /** How often a listener looks by itself, because a notice can be lost. */
    Duration missInterval();
}
