/** Bounds on what clients can use at once: threads of the storage, and connections. */
@NullMarked
package dev.leat.server.internal.limits;

import org.jspecify.annotations.NullMarked;
