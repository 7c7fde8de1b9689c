/**
 * Storages on SQL databases. {@link dev.leat.Leat} opens them by URL, and {@link dev.leat.sql.SqlStorages} without a URL.
 * {@link dev.leat.sql.SqlSchema} writes the tables as a script.
 */
@NullMarked
package dev.leat.sql;

import org.jspecify.annotations.NullMarked;
