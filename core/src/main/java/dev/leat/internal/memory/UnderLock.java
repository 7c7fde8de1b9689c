package dev.leat.internal.memory;

import java.time.Instant;
import java.util.function.Function;

/** Runs an operation under the storage's lock, after everything that is due, and sends its notices after the unlock. */
interface UnderLock {
    <T> T call(Function<Instant, T> operation);
}
