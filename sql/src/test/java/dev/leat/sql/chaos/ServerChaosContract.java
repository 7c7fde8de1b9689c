package dev.leat.sql.chaos;

import dev.leat.sql.TestDatabase;

/** The same on a server, which bears several transactions at a time. It ends those that stand still for a second. */
abstract class ServerChaosContract extends ChaosContract {
    private final TestDatabase database;

    ServerChaosContract(TestDatabase database) {
        this.database = database;
    }

    @Override
    final TestDatabase database() {
        return database;
    }

    @Override
    final int producers() {
        return 4;
    }
}
