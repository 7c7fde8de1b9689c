/**
 * What every storage shares and no user calls: waiting ({@link dev.leat.internal.waiting}), the worker runtime
 * ({@link dev.leat.internal.worker}), the memory storage ({@link dev.leat.internal.memory}), and here codecs and events.
 */
@NullMarked
package dev.leat.internal;

import org.jspecify.annotations.NullMarked;
