/**
 * The seams between Leat and an engine: {@link dev.leat.storage.Storage} with its parts keeps tasks, {@link dev.leat.storage.Signal}
 * wakes waiting calls, {@link dev.leat.storage.Lock} saves work.
 *
 * <p><b>Stability.</b> You can implement these interfaces for another engine, but they are not yet stable: a minor release may add or change
 * methods without a default. {@code StorageContract} in module storage-tests is their specification; a storage that passes the suite is complete.
 *
 * <p>A storage call blocks and is short. Leat writes waiting, timers, heartbeats, events and codecs once, above these interfaces.
 */
@NullMarked
package dev.leat.storage;

import org.jspecify.annotations.NullMarked;
