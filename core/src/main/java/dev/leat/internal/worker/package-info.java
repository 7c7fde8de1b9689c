/**
 * The worker runtime. Tasks flow one way:
 *
 * <pre>
 *   Feeder ──takes──► Buffer ──tasks──► processors (handlers) ──settles──► Settler ──► storage
 * </pre>
 *
 * <ul>
 *   <li>{@link dev.leat.internal.worker.Feeder} keeps as many tasks at hand as processors are free, plus what drains in a
 *       tenth of a second;
 *   <li>{@link dev.leat.internal.worker.Buffer} hands them out, round the queues;
 *   <li>{@link dev.leat.internal.worker.Execution} is one task while its handler runs;
 *   <li>{@link dev.leat.internal.worker.Settler} gathers outcomes while the last batch of them is written;
 *   <li>{@link dev.leat.internal.worker.WorkerRuntime} starts, watches and stops all of them.
 * </ul>
 */
@NullMarked
package dev.leat.internal.worker;

import org.jspecify.annotations.NullMarked;
