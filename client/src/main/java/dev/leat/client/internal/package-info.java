/**
 * How the client works. {@code RemoteStorage} and its parts turn calls into messages. {@code Link} carries the messages and answers over one
 * connection, and connects again after a loss. {@code Leases} gives back the tasks of takes whose answers were lost.
 */
@NullMarked
package dev.leat.client.internal;

import org.jspecify.annotations.NullMarked;
