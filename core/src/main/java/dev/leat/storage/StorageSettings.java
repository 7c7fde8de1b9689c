package dev.leat.storage;

import dev.leat.PurgeOptions;
import java.time.InstantSource;
import java.util.Optional;

/**
 * What a storage is opened with, besides its URL.
 *
 * @param clock a clock to live by instead of the engine's own, for tests
 * @param purge when finished tasks are removed, where that takes any doing
 * @param ifMissing what to do where Leat has stored nothing yet
 */
public record StorageSettings(Optional<InstantSource> clock, PurgeOptions purge, IfMissing ifMissing) {
    /** What to do about a file that does not exist, or a database without Leat's tables. */
    public enum IfMissing {
        /** Make them. */
        CREATE,
        /** Throw {@link dev.leat.error.StorageNotFoundException}, and change nothing. */
        REFUSE
    }

    public static StorageSettings standard() {
        return new StorageSettings(Optional.empty(), PurgeOptions.standard(), IfMissing.CREATE);
    }

    /** Lives by {@code clock}. */
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
