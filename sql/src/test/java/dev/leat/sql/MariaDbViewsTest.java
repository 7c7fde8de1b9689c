package dev.leat.sql;

import dev.leat.testkit.server.MariaDbServer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class MariaDbViewsTest extends ViewsContract {
    private final String url = MariaDbServer.shared().newDatabase();

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
        return Optional.ofNullable(row.getObject(column, LocalDateTime.class))
                .map(time -> time.toInstant(ZoneOffset.UTC));
    }
}
