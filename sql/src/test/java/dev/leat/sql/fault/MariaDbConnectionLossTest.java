package dev.leat.sql.fault;

import dev.leat.storagetests.server.MariaDbServer;
import org.junit.jupiter.api.Tag;

@Tag("engine")
class MariaDbConnectionLossTest extends ConnectionLossContract {
    private final MariaDbServer server = MariaDbServer.shared();

    @Override
    CuttingProxy newProxy() {
        return new CuttingProxy(server.port());
    }

    @Override
    String url() {
        return server.newDatabase().replace(":" + server.port(), ":" + proxy.port());
    }
}
