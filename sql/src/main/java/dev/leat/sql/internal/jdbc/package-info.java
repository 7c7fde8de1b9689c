/** Connections, transactions, statements and migrations. The package knows nothing about tasks. */
@NullMarked
package dev.leat.sql.internal.jdbc;

import org.jspecify.annotations.NullMarked;
