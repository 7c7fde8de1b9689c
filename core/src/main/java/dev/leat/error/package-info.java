/**
 * The exceptions. {@link dev.leat.error.ErrorCode} gives each one a stable name for other processes.
 */
@NullMarked
package dev.leat.error;

import org.jspecify.annotations.NullMarked;
