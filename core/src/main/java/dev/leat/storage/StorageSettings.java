package dev.leat.storage;

import java.time.InstantSource;
import java.util.Optional;

/**
 * What a storage is opened with, besides its URL.
 *
 * @param clock a clock to live by instead of the engine's own, for tests
 */
public record StorageSettings(Optional<InstantSource> clock) {
    public static StorageSettings standard() {
        return new StorageSettings(Optional.empty());
    }

    /** Lives by {@code clock}. */
    public static StorageSettings at(InstantSource clock) {
        return new StorageSettings(Optional.of(clock));
    }
}
