/**
 * The seams between Leat and an engine: {@link dev.leat.storage.Storage} keeps tasks, {@link dev.leat.storage.Signal}
 * wakes sleepers, {@link dev.leat.storage.Lock} saves work. Not yet stable.
 *
 * <p>A storage call blocks and is short. Waiting, timers, heartbeats, events and codecs are written once above these
 * interfaces, so an engine has to bring none of them. {@code StorageContract} in module storage-tests is their specification.
 */
@NullMarked
package dev.leat.storage;

import org.jspecify.annotations.NullMarked;
