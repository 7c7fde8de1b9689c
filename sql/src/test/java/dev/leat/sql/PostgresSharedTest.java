package dev.leat.sql;

class PostgresSharedTest extends ToldStorageContract {
    @Override
    TestDatabase newDatabase() {
        return TestDatabase.postgres();
    }
}
