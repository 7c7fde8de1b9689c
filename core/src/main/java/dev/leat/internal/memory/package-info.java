/**
 * The storage behind {@code memory:}.
 *
 * <p>One lock guards all state; an operation holds it for microseconds. Each {@link dev.leat.internal.memory.Entry} is in at most one list:
 * the ready index of its queue, the entries that wait for its key, its group, the buried entries, or the session that holds it. One tree has
 * the timers of all entries. Except for listings, no operation reads tasks that it does not change.
 */
@NullMarked
package dev.leat.internal.memory;

import org.jspecify.annotations.NullMarked;
