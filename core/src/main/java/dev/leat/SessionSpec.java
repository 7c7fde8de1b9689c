package dev.leat;

import dev.leat.internal.Checks;
import java.time.Duration;

/**
 * A consumer's session to be opened: its heartbeat holds all its leases.
 *
 * @param name who this is, for people who look
 * @param deadAfter without a heartbeat for this long the session ends and its leases are lost
 * @param grace how long leases survive a disconnect
 */
public record SessionSpec(String name, Duration deadAfter, Duration grace) {
    public SessionSpec {
        Checks.name("session", name);
        Checks.positive("deadAfter", deadAfter);
        Checks.notNegative("grace", grace);
    }

    /** Dead after 15 seconds of silence; a disconnect ends it at once. */
    public static SessionSpec named(String name) {
        return new SessionSpec(name, Duration.ofSeconds(15), Duration.ZERO);
    }

    public SessionSpec deadAfter(Duration deadAfter) {
        return new SessionSpec(name, deadAfter, grace);
    }

    public SessionSpec grace(Duration grace) {
        return new SessionSpec(name, deadAfter, grace);
    }
}
