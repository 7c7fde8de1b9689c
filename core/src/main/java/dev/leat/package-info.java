/**
 * What a user of Leat sees: {@link dev.leat.Leat} to open a queue, {@link dev.leat.NewTask} to describe work,
 * {@link dev.leat.Task} to look at it, {@link dev.leat.Settle} to end a delivery, {@link dev.leat.Group} and
 * {@link dev.leat.Workflow} for tasks that belong together, and the options of a queue.
 *
 * <p>Everything here is a value or a thin door. Storages live behind {@link dev.leat.storage.Storage}, workers in
 * {@link dev.leat.worker}. Times are decided by the storage's clock, never by the caller's.
 */
@NullMarked
package dev.leat;

import org.jspecify.annotations.NullMarked;
