package dev.leat.storage;

import dev.leat.DatabaseOptions;
import dev.leat.error.InvalidRequestException;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** Finds the storage for a URL. */
public final class Storages {
    private Storages() {}

    /** Opens {@code url} with the first {@link StorageProvider} on the class path that has its scheme. */
    public static Storage open(String url, StorageSettings settings) {
        Set<String> known = new TreeSet<>();
        for (StorageProvider provider : ServiceLoader.load(StorageProvider.class)) {
            if (provider.schemes().stream().anyMatch(url::startsWith)) {
                return provider.open(url, settings);
            }
            known.addAll(provider.schemes());
        }
        throw new InvalidRequestException(
                "url",
                "'" + withoutSecrets(url) + "' begins with none of " + String.join(", ", known),
                "; sqlite: and the jdbc: ones of PostgreSQL, MariaDB and MySQL come with dev.leat:leat-sql, http:// and https:// with"
                        + " dev.leat:leat-client on the class path");
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

    /** The URL without user, password and parameters, for messages. */
    public static String withoutSecrets(String url) {
        return url.replaceFirst("//[^/@]*@", "//…@").replaceFirst("\\?.*", "?…");
    }
}
