/**
 * The WebSocket at {@code /v1/consume}. {@code Sockets} has all connections; a {@code Connection} reads messages, has them worked on by
 * storage threads, and sends what they answer; {@code Operations} does what a message asks of the storage.
 *
 * <p>Nothing grows without a bound: a connection whose messages wait, or who does not read its answers, is not read from until that is
 * over, and notices that wait for it are kept once each.
 */
@NullMarked
package dev.leat.server.internal.consume;

import org.jspecify.annotations.NullMarked;
