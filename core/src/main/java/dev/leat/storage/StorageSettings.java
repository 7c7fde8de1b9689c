package dev.leat.storage;

import dev.leat.PurgeOptions;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Settings for the open of a storage, besides its URL.
 *
 * @param clock replaces the engine's own clock, for tests
 * @param purge when to purge finished tasks, in storages that purge
 * @param ifMissing what to do about a missing file or missing tables
 */
public record StorageSettings(Optional<InstantSource> clock, PurgeOptions purge, IfMissing ifMissing) {
    /** What to do about a file that does not exist, or a database without Leat's tables. */
    public enum IfMissing {
        /** Make the file and the tables. */
        CREATE,
        /** Throw {@link dev.leat.error.StorageNotFoundException}, and change nothing. */
        REFUSE
    }

    public static StorageSettings standard() {
        return new StorageSettings(Optional.empty(), PurgeOptions.standard(), IfMissing.CREATE);
    }

    /** Standard settings with {@code clock}. */
    public static StorageSettings at(InstantSource clock) {
        return new StorageSettings(Optional.of(clock), PurgeOptions.standard(), IfMissing.CREATE);
    }

    public StorageSettings purge(PurgeOptions options) {
        return new StorageSettings(clock, options, ifMissing);
    }

    public StorageSettings ifMissing(IfMissing choice) {
        return new StorageSettings(clock, purge, choice);
    }
}
