/** Payloads as JSON, with Jackson. {@link dev.leat.Leat} finds the codec on the class path. */
@NullMarked
package dev.leat.json;

import org.jspecify.annotations.NullMarked;
