/**
 * Waiting, written once for all storages. Four daemon threads per Leat, each started when first needed:
 *
 * <ul>
 *   <li>{@link dev.leat.internal.waiting.Dispatcher} serves waiting takes, in the order of their arrival;
 *   <li>{@link dev.leat.internal.waiting.Awaiter} serves callers that wait for the end of a task;
 *   <li>{@link dev.leat.internal.waiting.Sweeper} makes timed changes at their time;
 *   <li>{@link dev.leat.internal.waiting.Heartbeat} keeps the session of this Leat alive.
 * </ul>
 *
 * A waiting consumer holds no thread, no connection and no poll loop.
 */
@NullMarked
package dev.leat.internal.waiting;

import org.jspecify.annotations.NullMarked;
