package dev.leat.sql.view;

import dev.leat.sql.TestDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbViewsTest extends ViewsContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.mariaDb();
    }

    @Override
    Optional<Instant> time(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, LocalDateTime.class))
                .map(time -> time.toInstant(ZoneOffset.UTC));
    }
}
