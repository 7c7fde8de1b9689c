package dev.leat.worker;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Counts of a worker since its start.
 *
 * @param processors how many tasks or batches may run at once now
 * @param running how many run now
 * @param prefetched tasks taken and not yet started
 * @param fenced refused settles, whose lease was lost
 * @param slowCycles runs that took longer than {@link Worker.Builder#slowCycle}
 * @param queues counts by queue
 */
public record WorkerStats(
        int processors, int running, int prefetched, long fenced, long slowCycles, Map<String, QueueWork> queues) {

    /**
     * Counts of a worker for one queue.
     *
     * @param processed tasks whose handler returned or acked
     * @param errors tasks whose handler threw, failed or buried, or whose payload could not be read
     * @param retried tasks that the handler retried or released
     * @param duration time in handlers, summed over all processors
     * @param lastError the message of the last failed task
     */
    public record QueueWork(long processed, long errors, long retried, Duration duration, Optional<String> lastError) {}
}
