/**
 * The fast path of PostgreSQL: puts of plain tasks, takes in order, and acks, in one statement each. Other calls run in a unit
 * of work.
 */
@NullMarked
package dev.leat.sql.internal.fast;

import org.jspecify.annotations.NullMarked;
