package dev.leat.storage;

import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.queue.QueueOptions;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The time limits of a task, from the task and the options of its queue. */
public final class TaskLimits {
    /** The time limit of a take without a session: no heartbeat holds its lease. */
    public static final Duration TTR_WITHOUT_SESSION = Duration.ofSeconds(60);
    /** How long the holder of a canceled task may take to settle before its lease is revoked. */
    public static final Duration CANCEL_GRACE = Duration.ofSeconds(10);

    private TaskLimits() {}

    /**
     * The time limit of one lease: the take's own limit, then the task's (rule 7).
     *
     * @return null for no limit
     */
    public static @Nullable Duration ttrOfLease(TakeRequest request, @Nullable Duration ttrOfTask) {
        Duration ttr = request.ttr().orElse(ttrOfTask);
        return ttr == null && request.session().isEmpty() ? TTR_WITHOUT_SESSION : ttr;
    }

    /** How long the task may wait; empty for ever. */
    public static Optional<Duration> ttl(NewTask task, QueueOptions options) {
        return task.ttl().or(options::ttl);
    }

    /** How long one run may take; empty for no limit. */
    public static Optional<Duration> ttr(NewTask task, QueueOptions options) {
        Optional<Duration> ttr = task.ttr().or(options::ttr);
        boolean takesTtl = ttr.isEmpty() && options.ttrDefault() == QueueOptions.TtrDefault.TTL;
        return takesTtl ? ttl(task, options) : ttr;
    }
}
