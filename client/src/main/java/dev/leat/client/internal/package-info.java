/**
 * How the client works. {@code RemoteStorage} turns the methods of a storage into messages; {@code Link} brings them to the server and the
 * answers back, over one connection at a time, which it makes anew when it is lost; {@code Leases} finds what takes got whose answers
 * were lost with a connection.
 */
@NullMarked
package dev.leat.client.internal;

import org.jspecify.annotations.NullMarked;
