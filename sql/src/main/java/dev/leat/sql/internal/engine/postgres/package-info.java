/** PostgreSQL, with or without a pooler before it. */
@NullMarked
package dev.leat.sql.internal.engine.postgres;

import org.jspecify.annotations.NullMarked;
