/** The rows of the tables as objects, and the cache of queues. */
@NullMarked
package dev.leat.sql.internal.row;

import org.jspecify.annotations.NullMarked;
