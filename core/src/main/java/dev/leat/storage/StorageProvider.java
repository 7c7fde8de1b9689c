package dev.leat.storage;

import dev.leat.DatabaseOptions;
import java.util.Optional;
import javax.sql.DataSource;

/** Opens storages for a URL scheme; found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
    /** Whether this provider opens URLs that start so, such as {@code memory:} or {@code jdbc:postgresql:}. */
    boolean accepts(String url);

    /** Opens the storage, or says clearly why not. */
    Storage open(String url, StorageSettings settings);

    /** Opens the storage in the database behind a data source; empty when this provider has nothing to do with databases. */
    default Optional<Storage> open(DataSource source, DatabaseOptions options, StorageSettings settings) {
        return Optional.empty();
    }
}
