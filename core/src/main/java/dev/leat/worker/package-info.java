/**
 * Handlers and workers. A {@link dev.leat.worker.Worker} takes tasks from its queues, runs the {@link dev.leat.worker.Handler} of the task's queue
 * and type, and settles the task. The runtime behind these interfaces does not know the storage.
 */
@NullMarked
package dev.leat.worker;

import org.jspecify.annotations.NullMarked;
