package dev.leat.sql;

import dev.leat.sql.internal.SqlProvider;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import java.nio.file.Path;

/** Opens SQL storages without a URL. */
public final class SqlStorages {
    private SqlStorages() {}

    /** Opens the SQLite file, and creates a missing file. */
    public static Storage sqlite(Path file) {
        return new SqlProvider().open("sqlite:" + file, StorageSettings.standard());
    }
}
