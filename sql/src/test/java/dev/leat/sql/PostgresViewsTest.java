package dev.leat.sql;

import dev.leat.testkit.server.PostgresServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class PostgresViewsTest extends ViewsContract {
    private final String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();

    @Override
    String leatUrl() {
        return url;
    }

    @Override
    String jdbcUrl() {
        return url;
    }

    @Override
    Optional<Instant> time(ResultSet row, int column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
