package dev.leat.storage;

import dev.leat.PurgeOptions;
import java.time.InstantSource;
import java.util.Optional;

/**
 * What a storage is opened with, besides its URL.
 *
 * @param clock a clock to live by instead of the engine's own, for tests
 * @param purge when finished tasks are removed, where that takes any doing
 */
public record StorageSettings(Optional<InstantSource> clock, PurgeOptions purge) {
    public static StorageSettings standard() {
        return new StorageSettings(Optional.empty(), PurgeOptions.standard());
    }

    /** Lives by {@code clock}. */
    public static StorageSettings at(InstantSource clock) {
        return new StorageSettings(Optional.of(clock), PurgeOptions.standard());
    }

    public StorageSettings purge(PurgeOptions options) {
        return new StorageSettings(clock, options);
    }
}
