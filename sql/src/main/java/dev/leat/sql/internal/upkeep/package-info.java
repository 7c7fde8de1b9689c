/**
 * Work between the calls. {@code SweepRun} is one sweep, and calls the others:
 *
 * <ul>
 *   <li>{@code Sweeping} handles due tasks: it promotes, expires and ends leases.
 *   <li>{@code ScheduledPuts} puts the tasks of due schedules.
 *   <li>{@code GroupUpkeep} decides how often groups are checked. {@code GroupEnds} ends groups without work, {@code GroupMoves}
 *       moves the tasks of started and canceled groups, {@code GroupFolds} adds up counts, {@code Followers} lets tasks go on that
 *       waited for others.
 *   <li>{@code PurgeRuns} decides when to purge. {@code Purging} is one step, row by row; {@code Partitions} drops whole days.
 *   <li>{@code NextTimer} knows when time changes something next.
 * </ul>
 */
@NullMarked
package dev.leat.sql.internal.upkeep;

import org.jspecify.annotations.NullMarked;
