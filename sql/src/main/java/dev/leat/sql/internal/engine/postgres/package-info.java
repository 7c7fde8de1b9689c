/** PostgreSQL, with or without a pooler. */
@NullMarked
package dev.leat.sql.internal.engine.postgres;

import org.jspecify.annotations.NullMarked;
