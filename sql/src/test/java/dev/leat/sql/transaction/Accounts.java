package dev.leat.sql.transaction;

import dev.leat.sql.Sql;
import dev.leat.sql.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A table of the user's own beside Leat's. */
public final class Accounts {
    private final TestDatabase database;

    private Accounts(TestDatabase database) {
        this.database = database;
    }

    public static Accounts createIn(TestDatabase database) throws SQLException {
        database.execute("CREATE TABLE account (name VARCHAR(20) PRIMARY KEY, balance INT)");
        return new Accounts(database);
    }

    public static void open(Connection connection, String name) throws SQLException {
        Sql.execute(connection, "INSERT INTO account VALUES ('" + name + "', 0)");
    }

    static void addOneTo(Connection connection, String name) throws SQLException {
        Sql.execute(connection, "UPDATE account SET balance = balance + 1 WHERE name = '" + name + "'");
    }

    /** Of the accounts that somebody else sees. */
    public List<String> names() throws SQLException {
        return texts("SELECT name FROM account ORDER BY name");
    }

    List<String> balances() throws SQLException {
        return texts("SELECT balance FROM account");
    }

    private List<String> texts(String query) throws SQLException {
        try (Connection connection = database.connect()) {
            return Sql.texts(connection, query);
        }
    }

    /** Never ends where somebody has left a transaction open. */
    void drop() throws SQLException {
        database.execute("DROP TABLE account");
    }
}
