package dev.leat.storage;

import dev.leat.Registration;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Carries notices to listeners. A notice can arrive late, twice, without a change, or not at all. After a lost notice a listener reacts at
 * most {@link #missInterval()} late; no task is lost. {@link dev.leat.storage} says how stable this interface is.
 */
public interface Signal {
    /** Sends the notice to every listener. The caller must have committed the change. */
    void send(Notice notice);

    /** Calls {@code listener} for each notice until the registration is closed. A listener returns quickly and never blocks. */
    Registration listen(Consumer<Notice> listener);

    /** How often a listener reads the storage without a notice, because a notice can be lost. */
    Duration missInterval();
}
