/**
 * The SQL storages, written once for all dialects. Each package knows only those below it:
 *
 * <ul>
 *   <li>this one: {@code SqlStorage} delegates every call of {@link dev.leat.storage.Storage}; {@code SqlProvider} opens storages
 *       by URL;
 *   <li>{@code upkeep}: what time demands, and what a unit of work leaves for later: sweeps, purges, ends of groups;
 *   <li>{@code fast}: the fast path of PostgreSQL: plain puts, takes in order and silent acks in one statement each;
 *   <li>{@code engine}: PostgreSQL, MariaDB and SQLite;
 *   <li>{@code peers}: how processes on one database hear of each other's changes;
 *   <li>{@code operation}: puts, takes, settles, lookups, sessions, schedules;
 *   <li>{@code work}: the unit of work, with the rows it has loaded and changed;
 *   <li>{@code row}: rows of the tables and their columns;
 *   <li>{@code jdbc}: connections, transactions, statements, migrations.
 * </ul>
 *
 * <p>A call is one {@code UnitOfWork}: a transaction that first handles what is due, then loads the rows it needs, applies
 * {@link dev.leat.storage.Transition} to them, and writes the changed rows back in batches. Notices are sent after the
 * commit.
 *
 * <p>Where others can write at the same time, a unit of work locks what it is going to change: rows by their ids, keys by
 * their names. Statements are in {@code dev/leat/sql/*.sql}, tables in {@code migration/}.
 */
@NullMarked
package dev.leat.sql.internal;

import org.jspecify.annotations.NullMarked;
