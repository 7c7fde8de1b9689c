package dev.leat.storage;

import dev.leat.DatabaseOptions;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Opens storages for a URL scheme; found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
    /** What the URLs begin with that this provider opens, such as {@code memory:} or {@code jdbc:postgresql:}. */
    List<String> schemes();

    /** Opens the storage, or says clearly why not. */
    Storage open(String url, StorageSettings settings);

    /** Opens the storage in the database behind a data source; empty when this provider has nothing to do with databases. */
    default Optional<Storage> open(DataSource source, DatabaseOptions options, StorageSettings settings) {
        return Optional.empty();
    }
}
