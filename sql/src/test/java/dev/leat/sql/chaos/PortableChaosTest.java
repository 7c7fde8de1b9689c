package dev.leat.sql.chaos;

import dev.leat.testkit.server.MariaDbServer;
import org.junit.jupiter.api.Tag;

@Tag("second-pass")
class PortableChaosTest extends ChaosContract {
    private final String url = MariaDbServer.shared().newDatabase();

    @Override
    String url() {
        return url + "&portable=true&sessionVariables=idle_transaction_timeout=1";
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
