package dev.leat.storage;

import dev.leat.Registration;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Wakes sleepers. Notices may come late, twice or for nothing, and may be lost: a lost one costs its listener at most
 * {@link #missInterval()}, never a task.
 */
public interface Signal {
    /** Tells every listener, soon. Only ever called after the change it tells of is committed. */
    void send(Notice notice);

    /** Calls {@code listener} for each notice until the registration is closed. Listeners are quick and never block. */
    Registration listen(Consumer<Notice> listener);

    /** How often a sleeper should look for itself, because a notice may have been lost. */
    Duration missInterval();
}
