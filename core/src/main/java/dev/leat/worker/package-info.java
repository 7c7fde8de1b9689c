/**
 * Runs handlers: {@link dev.leat.worker.Worker} takes tasks from its queues, hands each to the
 * {@link dev.leat.worker.Handler} of its queue and type, and settles it by how that ends. The runtime behind these
 * interfaces never knows which storage it runs on.
 */
@NullMarked
package dev.leat.worker;

import org.jspecify.annotations.NullMarked;
