/**
 * The database systems: an {@link dev.leat.sql.internal.engine.Engine} is a dialect, and how its processes hear of each other.
 */
@NullMarked
package dev.leat.sql.internal.engine;

import org.jspecify.annotations.NullMarked;
