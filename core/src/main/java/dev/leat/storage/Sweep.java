package dev.leat.storage;

import dev.leat.TaskEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A round of timed changes: promote what is due, put what is scheduled, expire, end leases over their limit, end dead sessions, purge.
 *
 * @param sessions whether silent sessions may be ended; only a sweeper that has itself seen the storage without a gap
 *     for a session's whole {@code deadAfter} may say so, or an outage would cost everybody his leases
 * @param limit about how many tasks to change in one round, where a long round would keep others waiting
 * @param purge whether a run of the purge may begin; one that has begun goes on in any case, a block in each round
 */
public record Sweep(Sessions sessions, int limit, Purge purge) {
    /** What to do about silent sessions. */
    public enum Sessions {
        SPARE,
        END_SILENT
    }

    /** What to do about finished tasks that were kept long enough, where that takes any doing. */
    public enum Purge {
        /** As the storage's {@link dev.leat.PurgeOptions} say, and only in one process of all. */
        WHEN_DUE,
        /** At once, unless somebody is at it. */
        NOW
    }

    /** A round that purges when that is due. */
    public Sweep(Sessions sessions, int limit) {
        this(sessions, limit, Purge.WHEN_DUE);
    }

    /** Everything, as much as there is. */
    public static Sweep everything() {
        return new Sweep(Sessions.END_SILENT, Integer.MAX_VALUE);
    }

    /**
     * What a round did.
     *
     * @param events the changes it made
     * @param nextIn how long until the next timed change; empty when none is known, zero when there is more to do now
     * @param purged how many finished tasks are gone for good
     */
    public record Result(List<TaskEvent> events, Optional<Duration> nextIn, long purged) {}
}
