/**
 * The protocol between a Leat server and its clients over a WebSocket; {@code docs/websocket.md} describes it.
 *
 * <p>A message is a sequence of one or more CBOR maps ({@link dev.leat.wire.Cbor}). A client sends an {@link dev.leat.wire.Op} with a
 * number of its own; the answer carries the same number and comes when it is ready. The other classes write the values of
 * {@code dev.leat} as maps by {@code of}, and read them by methods named like the value. Times are microseconds since 1970, durations
 * are seconds, and payloads are byte strings. A missing field has its default; an unknown field is refused.
 */
@NullMarked
package dev.leat.wire;

import org.jspecify.annotations.NullMarked;
