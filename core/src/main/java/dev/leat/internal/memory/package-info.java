/**
 * The storage behind {@code memory:}.
 *
 * <p>One lock guards all state; an operation holds it for microseconds. Each {@link dev.leat.internal.memory.Entry} is in at most one list, by its
 * state: the ready index of its queue, the waiting entries of its key or group, the buried entries, or a session. One tree has the timers of all
 * entries. Except for listings, no operation reads tasks that it does not change.
 */
@NullMarked
package dev.leat.internal.memory;

import org.jspecify.annotations.NullMarked;
