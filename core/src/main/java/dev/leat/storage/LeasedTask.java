package dev.leat.storage;

import dev.leat.GroupSpec;
import dev.leat.queue.QueueOptions;
import java.time.Instant;
import java.util.Optional;

/**
 * The properties of a TAKEN task that decide its {@link Transition}.
 *
 * @param options the options of its queue
 * @param deadRun whether the task is a dead run
 * @param cancelRequested whether the task is asked to stop
 * @param group the failure policy of its group; empty without one
 * @param groupCanceled whether the group is canceled
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
