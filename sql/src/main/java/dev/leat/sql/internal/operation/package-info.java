/**
 * The general form of each call of a storage, within one unit of work: puts, takes, settles, lookups, sessions, schedules.
 */
@NullMarked
package dev.leat.sql.internal.operation;

import org.jspecify.annotations.NullMarked;
