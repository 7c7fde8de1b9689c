/** Payloads as JSON, by Jackson. Being on the class path is enough: {@link dev.leat.Leat} finds the codec by itself. */
@NullMarked
package dev.leat.json;

import org.jspecify.annotations.NullMarked;
