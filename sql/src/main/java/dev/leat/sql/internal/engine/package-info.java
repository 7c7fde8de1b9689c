/** The database systems: each {@link dev.leat.sql.internal.engine.Engine} is a dialect that may also report writes. */
@NullMarked
package dev.leat.sql.internal.engine;

import org.jspecify.annotations.NullMarked;
