/** SQLite files. */
@NullMarked
package dev.leat.sql.internal.engine.sqlite;

import org.jspecify.annotations.NullMarked;
