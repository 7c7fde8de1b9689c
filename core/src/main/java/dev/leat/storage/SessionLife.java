package dev.leat.storage;

import dev.leat.SessionSpec;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a session ends (rules 7 and 12).
 *
 * @param heard the last heartbeat
 * @param disconnected when its connection to a server was lost; empty while connected
 */
public record SessionLife(Instant heard, Optional<Instant> disconnected, Duration deadAfter, Duration grace) {
    private static final SecureRandom RANDOM = new SecureRandom();

    public static String newId(SessionSpec spec) {
        return spec.name() + "#" + Long.toUnsignedString(RANDOM.nextLong(), Character.MAX_RADIX);
    }

    public static SessionLife begin(SessionSpec spec, Instant now) {
        return new SessionLife(now, Optional.empty(), spec.deadAfter(), spec.grace());
    }

    /** After a heartbeat, which also ends the grace of a disconnect. */
    public SessionLife heartbeat(Instant now) {
        return new SessionLife(now, Optional.empty(), deadAfter, grace);
    }

    public SessionLife disconnect(Instant now) {
        return new SessionLife(heard, Optional.of(now), deadAfter, grace);
    }

    /** When the session ends without another heartbeat. */
    public Instant endsAt() {
        return disconnected.isPresent() ? disconnected.get().plus(grace) : heard.plus(deadAfter);
    }

    /** A disconnect is certain; silence counts only if the sweeper has seen the storage without a gap. */
    public boolean mayEnd(Sweep.Sessions sessions) {
        return disconnected.isPresent() || sessions == Sweep.Sessions.END_SILENT;
    }

    /** Whether a clock that was set back has left moments in the future. */
    public boolean isAhead(Instant now) {
        return heard.isAfter(now)
                || (disconnected.isPresent() && disconnected.get().isAfter(now));
    }

    /** A heartbeat in the future counts as one from now, and so does a disconnect. */
    public SessionLife withoutFuture(Instant now) {
        return isAhead(now)
                ? new SessionLife(
                        heard.isAfter(now) ? now : heard,
                        disconnected.map(at -> at.isAfter(now) ? now : at),
                        deadAfter,
                        grace)
                : this;
    }
}
