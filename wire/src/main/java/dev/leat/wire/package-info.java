/**
 * What a Leat server and its clients say to each other over a WebSocket; {@code docs/websocket.md} tells it to people.
 *
 * <p>A message is one or more CBOR maps, one behind the other ({@link dev.leat.wire.Cbor}). A client asks for an
 * {@link dev.leat.wire.Op}, with a number of its own; the answer carries that number, and comes when it is ready. The other classes
 * turn the values of {@code dev.leat} into maps and back, {@code of} one way and a method named like the value the other. Times are
 * microseconds since 1970, durations are seconds, payloads are byte strings; what is missing has its default, and what nobody knows is
 * refused.
 */
@NullMarked
package dev.leat.wire;

import org.jspecify.annotations.NullMarked;
