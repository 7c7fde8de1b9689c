/**
 * What runs in a process of its own: one task queue, driven by commands on its standard input.
 *
 * <p>{@link dev.leat.bench.sql.contender.ContenderMain} reads the commands; the Node peers do the same in JavaScript
 * ({@code bench/src/main/resources/dev/leat/bench/sql/node}), so that the benchmark treats all alike. Times are those of {@link System#nanoTime()},
 * which on Linux is one clock for all processes of a machine.
 */
@NullMarked
package dev.leat.bench.sql.contender;

import org.jspecify.annotations.NullMarked;
