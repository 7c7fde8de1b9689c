/** Rows of the tables and their columns, and the cache of queues. */
@NullMarked
package dev.leat.sql.internal.row;

import org.jspecify.annotations.NullMarked;
