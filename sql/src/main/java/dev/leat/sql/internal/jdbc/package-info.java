/** Connections, transactions, statements and migrations. Knows nothing of tasks. */
@NullMarked
package dev.leat.sql.internal.jdbc;

import org.jspecify.annotations.NullMarked;
