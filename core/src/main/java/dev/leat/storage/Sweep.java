package dev.leat.storage;

import dev.leat.TaskEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A round of timed changes: promote what is due, expire, end leases over their limit, end dead sessions, purge.
 *
 * @param sessions whether silent sessions may be ended; only a sweeper that has itself seen the storage without a gap
 *     for a session's whole {@code deadAfter} may say so, or an outage would cost everybody his leases
 * @param limit about how many tasks to change in one round, where a long round would keep others waiting
 */
public record Sweep(Sessions sessions, int limit) {
    /** What to do about silent sessions. */
    public enum Sessions {
        SPARE,
        END_SILENT
    }

    /** Everything, as much as there is. */
    public static Sweep everything() {
        return new Sweep(Sessions.END_SILENT, Integer.MAX_VALUE);
    }

    /**
     * What a round did.
     *
     * @param events the changes it made
     * @param nextIn how long until the next timed change; empty when none is known
     */
    public record Result(List<TaskEvent> events, Optional<Duration> nextIn) {}
}
