package dev.leat.storage;

/** Opens storages for a URL scheme; found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
    /** Whether this provider opens URLs that start so, such as {@code memory:} or {@code jdbc:postgresql:}. */
    boolean accepts(String url);

    /** Opens the storage, or says clearly why not. */
    Storage open(String url, StorageSettings settings);
}
