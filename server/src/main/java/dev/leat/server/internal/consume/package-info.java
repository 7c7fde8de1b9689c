/**
 * The WebSocket at {@code /v1/consume}. {@code Sockets} has all connections. A {@code Connection} reads messages, lets storage threads
 * process them, and sends the answers. {@code Operations} makes the storage calls that a message asks for.
 *
 * <p>All memory is bounded. A connection stops reading while too many of its messages are unfinished, or its client does not read the
 * answers. Notices that wait to be sent are kept once each.
 */
@NullMarked
package dev.leat.server.internal.consume;

import org.jspecify.annotations.NullMarked;
