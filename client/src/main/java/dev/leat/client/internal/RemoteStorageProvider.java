package dev.leat.client.internal;

import dev.leat.storage.Storage;
import dev.leat.storage.StorageProvider;
import dev.leat.storage.StorageSettings;
import java.util.List;

/** Opens storages behind servers. A server may start later than its client. */
public final class RemoteStorageProvider implements StorageProvider {
    @Override
    public List<String> schemes() {
        return List.of("http://", "https://");
    }

    @Override
    public Storage open(String url, StorageSettings settings) {
        if (settings.clock().isPresent()) {
            throw new IllegalArgumentException("The clock is the server's");
        }
        return new RemoteStorage(RemoteUrl.parse(url));
    }
}
