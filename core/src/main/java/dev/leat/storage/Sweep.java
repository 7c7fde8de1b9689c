package dev.leat.storage;

import dev.leat.TaskEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One sweep: promotes due tasks, puts tasks of schedules, expires, ends leases over their limit, ends silent sessions, purges.
 *
 * @param sessions whether to end silent sessions; only a sweeper that has seen the storage without a gap for {@code deadAfter} may ask for
 *     this, because an outage would otherwise end every session
 * @param limit about how many tasks to change, where a long sweep would keep other calls waiting
 * @param purge whether a purge may begin; a purge that has begun goes on in any case, with a block in each sweep
 */
public record Sweep(Sessions sessions, int limit, Purge purge) {
    /** What to do about silent sessions. */
    public enum Sessions {
        SPARE,
        END_SILENT
    }

    /** When to purge finished tasks whose retention is over, in storages that purge. */
    public enum Purge {
        /** As the storage's {@link dev.leat.PurgeOptions} say, in one process of the fleet. */
        WHEN_DUE,
        /** At once, unless another process purges. */
        NOW
    }

    /** A sweep that purges when a purge is due. */
    public Sweep(Sessions sessions, int limit) {
        this(sessions, limit, Purge.WHEN_DUE);
    }

    /** A sweep without a limit that ends silent sessions too. */
    public static Sweep everything() {
        return new Sweep(Sessions.END_SILENT, Integer.MAX_VALUE);
    }

    /**
     * What a sweep did.
     *
     * @param events the changes of this sweep, and changes since the last one that no call has answered
     * @param nextIn the time until the next timed change; empty if none is known, zero if more is due now
     * @param purged how many finished tasks were removed
     */
    public record Result(List<TaskEvent> events, Optional<Duration> nextIn, long purged) {}
}
