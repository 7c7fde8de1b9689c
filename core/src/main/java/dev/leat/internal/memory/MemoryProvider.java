package dev.leat.internal.memory;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageProvider;
import dev.leat.storage.StorageSettings;
import java.time.InstantSource;

/** Opens {@code memory:}, a storage of its own each time. */
public final class MemoryProvider implements StorageProvider {
    @Override
    public boolean accepts(String url) {
        return url.equals("memory:");
    }

    @Override
    public Storage open(String url, StorageSettings settings) {
        return new MemoryStorage(settings.clock().orElse(InstantSource.system()));
    }
}
