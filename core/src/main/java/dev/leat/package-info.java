/**
 * The entry points of Leat, and the values of a task.
 *
 * <p>Begin with {@link dev.leat.Leat}: it puts, takes and settles tasks, and returns the other entry points: {@link dev.leat.Queue},
 * {@link dev.leat.Outcomes}, {@link dev.leat.Group}, {@link dev.leat.Workflow}, {@link dev.leat.Schedules}, {@link dev.leat.Subscriptions},
 * {@link dev.leat.DeadLetters} and {@link dev.leat.Leadership}. {@link dev.leat.NewTask} describes a task to put, {@link dev.leat.Task} is its
 * snapshot, and {@link dev.leat.Settle} ends a delivery.
 *
 * <p>The sub-packages hold values and exceptions by subject:
 *
 * <ul>
 *   <li>{@link dev.leat.queue}: the options of a queue, retries, retention and counts;
 *   <li>{@link dev.leat.schedule}: cron expressions, fixed rates and missed runs;
 *   <li>{@link dev.leat.topic}: subscriptions and webhooks;
 *   <li>{@link dev.leat.error}: the exceptions.
 * </ul>
 *
 * <p>A class is here if it is an entry point, or if an entry point needs it to put, take, settle or list tasks and groups. The sub-packages know
 * {@link dev.leat.Task}, {@link dev.leat.NewTask} and other values, and never {@link dev.leat.Leat}. Handlers and workers are in
 * {@link dev.leat.worker}, the interfaces for storages in {@link dev.leat.storage}. The storage's clock decides all times.
 */
@NullMarked
package dev.leat;

import org.jspecify.annotations.NullMarked;
