package dev.leat.worker;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a worker has done since its start.
 *
 * @param processors how many tasks or batches it may run at once now
 * @param running how many it runs now
 * @param prefetched tasks taken and not yet started
 * @param fenced settles that came too late, because the lease was lost
 * @param slowCycles turns of a processor that took longer than they should, see {@link Worker.Builder#slowCycle}
 * @param queues the same by queue
 */
public record WorkerStats(
        int processors, int running, int prefetched, long fenced, long slowCycles, Map<String, QueueWork> queues) {

    /**
     * What a worker has done for one queue.
     *
     * @param processed tasks whose handler returned, or acknowledged
     * @param errors tasks whose handler threw, failed or buried, or whose payload could not be read
     * @param retried tasks that the handler itself put off
     * @param duration time spent in handlers, all processors together
     * @param lastError what the last failed task said
     */
    public record QueueWork(long processed, long errors, long retried, Duration duration, Optional<String> lastError) {}
}
