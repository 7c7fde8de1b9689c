package dev.leat.storage;

import java.util.List;

/** Opens storages for a URL scheme; found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
    /** What the URLs begin with that this provider opens, such as {@code memory:} or {@code jdbc:postgresql:}. */
    List<String> schemes();

    /** Opens the storage, or says clearly why not. */
    Storage open(String url, StorageSettings settings);
}
