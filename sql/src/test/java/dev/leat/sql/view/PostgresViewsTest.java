package dev.leat.sql.view;

import dev.leat.sql.TestDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

class PostgresViewsTest extends ViewsContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgres();
    }

    @Override
    Optional<Instant> time(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
