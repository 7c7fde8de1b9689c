/**
 * Storages on SQL databases. {@link dev.leat.Leat} finds them by URL; {@link dev.leat.sql.SqlStorages} opens them by hand,
 * and {@link dev.leat.sql.SqlSchema} is for those who make the tables by hand.
 */
@NullMarked
package dev.leat.sql;

import org.jspecify.annotations.NullMarked;
