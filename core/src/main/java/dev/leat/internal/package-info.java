/**
 * The code of the core that users do not call: waiting ({@link dev.leat.internal.waiting}), the worker runtime
 * ({@link dev.leat.internal.worker}), leaders ({@link dev.leat.internal.leading}) and the memory storage ({@link dev.leat.internal.memory}). This
 * package has codecs, task events and checks.
 */
@NullMarked
package dev.leat.internal;

import org.jspecify.annotations.NullMarked;
