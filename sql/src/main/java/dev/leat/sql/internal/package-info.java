/**
 * The SQL storages, written once for all dialects.
 *
 * <p>A call of {@link dev.leat.storage.Storage} is one {@code Turn}: a transaction that first does what time demands, then
 * loads the rows it concerns, lets {@code Lifecycle} decide by the rules of {@link dev.leat.storage.Verdict}, and writes
 * the changed rows back in batches. Notices are sent after the commit. On PostgreSQL the hot ways (puts of plain tasks,
 * takes in order, silent acks) are single statements instead: {@code Shortcuts}, {@code QuickTakes}.
 *
 * <p>What a turn did to groups goes on after it: {@code GroupMoves} moves the tasks of groups that were started or canceled, block by block,
 * {@code GroupEnds} ends groups without work, {@code GroupFolds} adds up their counts. Sweeps also purge, when {@code PurgeRuns} lets them:
 * {@code Purging} row by row, {@code Partitions} a day at a time.
 *
 * <p>The transaction of a handler, {@code SqlHandlerTransaction}, runs on a connection of its own and ends with such a turn.
 *
 * <p>Where others can write at the same time, a turn locks what it is going to change, rows by their ids and keys by their
 * names. What differs between databases is in their {@code Dialect}; {@code Neighbours} are the other processes.
 *
 * <p>Statements are in {@code dev/leat/sql/common.sql} and in one file per dialect, tables in {@code migration/}.
 */
@NullMarked
package dev.leat.sql.internal;

import org.jspecify.annotations.NullMarked;
