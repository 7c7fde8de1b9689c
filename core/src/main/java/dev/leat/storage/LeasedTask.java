package dev.leat.storage;

import dev.leat.GroupSpec;
import dev.leat.queue.QueueOptions;
import java.time.Instant;
import java.util.Optional;

/**
 * What the rules need to know of a task that is taken, to say what becomes of it.
 *
 * @param options of its queue
 * @param deadRun whether it runs the dead handler of another task
 * @param cancelRequested whether somebody wants it to stop
 * @param group the failure policy of its group; empty without one
 * @param groupCanceled whether that group was canceled
 */
public record LeasedTask(
        QueueOptions options,
        int failures,
        int losses,
        Instant due,
        Optional<Instant> expires,
        boolean deadRun,
        boolean cancelRequested,
        Optional<GroupSpec.OnFailure> group,
        boolean groupCanceled) {}
