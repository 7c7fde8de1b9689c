/**
 * The worker runtime. Tasks flow one way:
 *
 * <pre>
 *   Feeder ──takes──► Buffer ──tasks──► processors (handlers) ──settles──► Settler ──► storage
 * </pre>
 *
 * <ul>
 *   <li>{@link dev.leat.internal.worker.Feeder} takes tasks for free processors, and as many ahead as {@link dev.leat.internal.worker.Prefetch}
 *       says;
 *   <li>{@link dev.leat.internal.worker.Buffer} holds them and hands them out, queue by queue;
 *   <li>{@link dev.leat.internal.worker.QueueHandlers} chooses the handler of a task;
 *   <li>{@link dev.leat.internal.worker.TaskRunner} runs the handler, and {@link dev.leat.internal.worker.Execution} is its task meanwhile;
 *   <li>{@link dev.leat.internal.worker.Settler} writes settles in batches;
 *   <li>{@link dev.leat.internal.worker.WorkerRuntime} starts and stops all of them.
 * </ul>
 */
@NullMarked
package dev.leat.internal.worker;

import org.jspecify.annotations.NullMarked;
