/**
 * The SQL storages, written once for all dialects.
 *
 * <p>A call of {@link dev.leat.storage.Storage} is one {@code Turn}: a transaction that first does what time demands, then
 * loads the rows it concerns, lets {@code Lifecycle} decide by the rules of {@link dev.leat.storage.Verdict}, and writes
 * the changed rows back in batches. Notices are sent after the commit. The hot ways (put, take and ack of tasks without
 * key and group) are a handful of statements, however many tasks there are.
 *
 * <p>Statements are in {@code dev/leat/sql/common.sql} and in one file per dialect, tables in {@code migration/}.
 */
@NullMarked
package dev.leat.sql.internal;

import org.jspecify.annotations.NullMarked;
