package dev.leat.internal.memory;

import dev.leat.error.InvalidRequestException;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageProvider;
import dev.leat.storage.StorageSettings;
import java.time.InstantSource;
import java.util.List;

/** Opens {@code memory:}. Each call opens a new storage. */
public final class MemoryProvider implements StorageProvider {
    private static final String SCHEME = "memory:";

    @Override
    public List<String> schemes() {
        return List.of(SCHEME);
    }

    @Override
    public Storage open(String url, StorageSettings settings) {
        if (!url.equals(SCHEME)) {
            throw new InvalidRequestException("url", "says more than memory:, which has neither names nor parameters");
        }
        return new MemoryStorage(settings.clock().orElse(InstantSource.system()));
    }
}
