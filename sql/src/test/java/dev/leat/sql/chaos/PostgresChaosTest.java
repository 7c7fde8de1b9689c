package dev.leat.sql.chaos;

import dev.leat.testkit.server.PostgresServer;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class PostgresChaosTest extends ChaosContract {
    private final String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();

    @Override
    String url() {
        return url + "&options=-c%20idle_in_transaction_session_timeout=1s";
    }

    @Override
    String jdbcUrl() {
        return url;
    }

    @Override
    int producers() {
        return 4;
    }
}
