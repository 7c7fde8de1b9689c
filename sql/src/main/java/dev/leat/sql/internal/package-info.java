/**
 * The SQL storages, written once for all dialects. Each package knows only those below it:
 *
 * <ul>
 *   <li>this package: {@code SqlStorage} delegates every call of {@link dev.leat.storage.Storage}; {@code UnitRunner} runs units of work;
 *       {@code AfterCommit} sends the notices of units and of the fast path; {@code SqlProvider} opens storages by URL;
 *   <li>{@code upkeep}: sweeps, puts of schedules, purges, ends of groups;
 *   <li>{@code fast}: the fast path of PostgreSQL: plain puts, takes in order and silent acks in one statement each;
 *   <li>{@code engine}: PostgreSQL, MariaDB and SQLite;
 *   <li>{@code peers}: notices between the processes that use one database;
 *   <li>{@code operation}: puts, takes, settles, lookups, sessions, schedules;
 *   <li>{@code work}: the unit of work, with the rows that it has loaded and changed;
 *   <li>{@code row}: rows of the tables and their columns;
 *   <li>{@code jdbc}: connections, transactions, statements, migrations.
 * </ul>
 *
 * <p>A call is one {@code UnitOfWork}: a transaction that first changes due tasks, then loads the rows that it needs, applies
 * {@link dev.leat.storage.Transition} to them, and writes the changed rows in batches. Notices are sent after the commit.
 *
 * <p>On databases with several writers, a unit of work locks the rows that it changes by their ids, and keys by their names. Statements are in {@code dev/leat/sql/*.sql}, tables in {@code migration/}.
 */
@NullMarked
package dev.leat.sql.internal;

import org.jspecify.annotations.NullMarked;
