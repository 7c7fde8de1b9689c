package dev.leat;

import dev.leat.internal.Checks;
import java.time.Duration;

/**
 * A session to open. The heartbeats of a session hold all its leases.
 *
 * @param name the name of the consumer, for operators
 * @param deadAfter the session ends with all its leases after this time without a heartbeat
 * @param grace how long the leases outlive a lost connection to a server
 */
public record SessionSpec(String name, Duration deadAfter, Duration grace) {
    public SessionSpec {
        Checks.name("session", name);
        Checks.positive("deadAfter", deadAfter);
        Checks.notNegative("grace", grace);
    }

    /** A session that ends after 15 seconds without a heartbeat, and at once after a lost connection. */
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
