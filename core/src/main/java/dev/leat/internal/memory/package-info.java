/**
 * The storage behind {@code memory:}.
 *
 * <p>One lock guards everything; an operation holds it for microseconds. Each {@link dev.leat.internal.memory.Entry}
 * is linked into exactly one place that says what it waits for: the ready index of its queue, the line behind its key,
 * its group, the buried line, or the session that holds it. A single timer tree holds the next moment of each entry
 * that has one. No operation walks tasks that it does not change, except the listings.
 */
@NullMarked
package dev.leat.internal.memory;

import org.jspecify.annotations.NullMarked;
