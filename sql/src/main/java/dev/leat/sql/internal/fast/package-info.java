/**
 * The fast path of PostgreSQL: puts of plain tasks, takes in order, and acks, in one statement each. Other calls run in a unit
 * of work. {@code row.PlainTasks} decides which puts may take the fast path; {@code Coalescer} lets puts of several threads
 * share one statement.
 */
@NullMarked
package dev.leat.sql.internal.fast;

import org.jspecify.annotations.NullMarked;
