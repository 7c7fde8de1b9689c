/**
 * What calls are refused with. {@link dev.leat.error.ErrorCode} gives each exception a name that never changes, so that it can
 * cross a wire.
 */
@NullMarked
package dev.leat.error;

import org.jspecify.annotations.NullMarked;
