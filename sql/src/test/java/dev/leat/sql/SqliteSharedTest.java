package dev.leat.sql;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteSharedTest extends ToldStorageContract {
    @TempDir
    Path folder;

    @Override
    String url() {
        return "sqlite:" + folder.resolve("jobs.db");
    }
}
