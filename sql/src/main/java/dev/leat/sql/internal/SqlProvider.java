package dev.leat.sql.internal;

import dev.leat.StorageException;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageProvider;
import dev.leat.storage.StorageSettings;

/** Opens {@code sqlite:path/to/file.db}. */
public final class SqlProvider implements StorageProvider {
    @Override
    public boolean accepts(String url) {
        return url.startsWith(SqliteUrl.SCHEME);
    }

    @Override
    public Storage open(String url, StorageSettings settings) {
        SqliteUrl parsed = SqliteUrl.parse(url);
        checkDriver("org.sqlite.JDBC", "org.xerial:sqlite-jdbc");
        return SqlStorage.open(new SqliteDialect(parsed, settings.clock()), parsed.prefix(), parsed.migrate());
    }

    private static void checkDriver(String driver, String artifact) {
        try {
            Class.forName(driver, false, SqlProvider.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new StorageException(
                    "The driver for this URL is not on the class path: add the dependency " + artifact + ".", e);
        }
    }
}
