package dev.leat.storage;

import java.time.InstantSource;

/**
 * What a storage is opened with, besides its URL.
 *
 * @param clock the clock of storages that live in this process; a database uses its own
 */
public record StorageSettings(InstantSource clock) {
    public static StorageSettings standard() {
        return new StorageSettings(InstantSource.system());
    }
}
