package dev.leat.storage;

import dev.leat.DatabaseOptions;
import dev.leat.InvalidRequestException;
import java.util.Optional;
import java.util.ServiceLoader;
import javax.sql.DataSource;

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

    /** Opens the database behind {@code source} with the first {@link StorageProvider} that knows databases. */
    public static Storage open(DataSource source, DatabaseOptions options, StorageSettings settings) {
        for (StorageProvider provider : ServiceLoader.load(StorageProvider.class)) {
            Optional<Storage> storage = provider.open(source, options, settings);
            if (storage.isPresent()) {
                return storage.get();
            }
        }
        throw new InvalidRequestException("dataSource", "needs leat-sql on the class path");
    }

    /** A URL may carry a user and a password; messages must not. */
    private static String withoutSecrets(String url) {
        return url.replaceFirst("//[^/@]*@", "//…@").replaceFirst("\\?.*", "?…");
    }
}
