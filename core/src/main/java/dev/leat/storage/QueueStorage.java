package dev.leat.storage;

import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import java.util.List;
import java.util.Optional;

/** The queues of a {@link Storage}. A call on an unknown queue throws {@link dev.leat.error.QueueNotFoundException}. */
public interface QueueStorage {
    /** Makes a queue, or throws {@link dev.leat.error.QueueExistsException}. */
    QueueInfo create(String queue, QueueOptions options);

    /** Makes the queue if it is missing, and sets its options unless {@link QueueInfo.SetBy#OPERATOR} has set them. */
    QueueInfo declare(String queue, QueueOptions options, QueueInfo.SetBy setBy);

    /** The queue; empty if it is unknown. */
    Optional<QueueInfo> find(String queue);

    /** All queues by name. */
    List<QueueInfo> list();

    /** Stops takes from getting tasks. Due times, time limits and times to live go on. */
    void pause(String queue);

    void resume(String queue);

    /** Removes the queue and its tasks. Refuses while tasks are taken or consumers wait. */
    void drop(String queue);

    /** Deletes every live task, TAKEN tasks too; answers how many. */
    long truncate(String queue);

    /** Ends every lease of the queue without a charge; answers how many. */
    long releaseAll(String queue);

    /** Counts per state for each queue, by name. */
    List<QueueStats> stats();

    QueueStats stats(String queue);

    /** Counts per state for each tenant and business group that has tasks in the queue, in {@link TenantStats#ORDER}. */
    List<TenantStats> tenantStats(String queue);
}
