package dev.leat.storage;

import dev.leat.InvalidRequestException;
import java.util.ServiceLoader;

/** Finds the storage for a URL. */
public final class Storages {
    private Storages() {}

    /** Opens {@code url} with the first {@link StorageProvider} on the class path that accepts it. */
    public static Storage open(String url, StorageSettings settings) {
        for (StorageProvider provider : ServiceLoader.load(StorageProvider.class)) {
            if (provider.accepts(url)) {
                return provider.open(url, settings);
            }
        }
        throw new InvalidRequestException(
                "url",
                "'" + withoutSecrets(url) + "' is not one that a storage on the class path opens. Known without any "
                        + "further dependency is 'memory:'.");
    }

    /** A URL may carry a user and a password; messages must not. */
    private static String withoutSecrets(String url) {
        return url.replaceFirst("//[^/@]*@", "//…@").replaceFirst("\\?.*", "?…");
    }
}
