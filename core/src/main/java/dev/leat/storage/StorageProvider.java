package dev.leat.storage;

import dev.leat.DatabaseOptions;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Opens storages for a URL scheme; found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
    /** The prefixes of this provider's URLs, such as {@code memory:} or {@code jdbc:postgresql:}. */
    List<String> schemes();

    /** Opens the storage, or throws an exception that says why not. */
    Storage open(String url, StorageSettings settings);

    /** Opens the storage in the database behind a data source; empty if this provider has no databases. */
    default Optional<Storage> open(DataSource source, DatabaseOptions options, StorageSettings settings) {
        return Optional.empty();
    }
}
