package dev.leat.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Plain statements, for what tests do beside Leat. */
public final class Sql {
    private Sql() {}

    public static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The first column of every row. */
    public static List<String> texts(Connection connection, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                texts.add(row.getString(1));
            }
        }
        return texts;
    }

    /** The first column of the first row. */
    public static String text(Connection connection, String query) throws SQLException {
        return texts(connection, query).get(0);
    }

    /** The first column of the first row, as a number. */
    public static long number(Connection connection, String query) throws SQLException {
        return Long.parseLong(text(connection, query));
    }
}
