package dev.leat.sql.view;

import dev.leat.sql.TestDatabase;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

class SqliteViewsTest extends ViewsContract {
    @TempDir
    static Path folder;

    @Override
    TestDatabase newDatabase() {
        return TestDatabase.sqlite(folder);
    }

    @Override
    Optional<Instant> time(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getString(column)).map(Instant::parse);
    }
}
