/**
 * Work between the calls: due timers, purges, ends of groups, followers of ended tasks.
 */
@NullMarked
package dev.leat.sql.internal.upkeep;

import org.jspecify.annotations.NullMarked;
