package dev.leat.sql.view;

import dev.leat.sql.TestDatabase;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A database with a Leat in it, as anybody sees it who connects and reads the views. Tasks live by a clock that tests move,
 * two hours behind the database's, which the views go by.
 */
final class SeenDatabase implements AutoCloseable {
    static final Duration BEHIND = Duration.ofHours(2);
    private static final Set<String> FLAGS = Set.of(
            "cancel_requested",
            "requeued",
            "exhausted",
            "paused",
            "reenfileirado",
            "estouro_tentativas",
            "dead",
            "pub_sub");

    /** What a column of time says. */
    interface Times {
        Optional<Instant> read(ResultSet row, int column) throws SQLException;
    }

    final ManualClock clock =
            new ManualClock(Instant.now().truncatedTo(ChronoUnit.SECONDS).minus(BEHIND));
    final Storage storage;
    private final Connection connection;
    private final Times times;

    SeenDatabase(TestDatabase database, Times times) throws SQLException {
        this.storage = database.open(StorageSettings.at(clock));
        this.connection = database.connect();
        this.times = times;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        storage.close();
    }

    /** Times as instants, flags as booleans, payloads as they are, all else as text. */
    List<Map<String, Object>> rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<Map<String, Object>> rows = new ArrayList<>();
            while (row.next()) {
                Map<String, Object> values = new LinkedHashMap<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    String column = row.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT);
                    values.put(column, value(row, i, column));
                }
                rows.add(values);
            }
            return rows;
        }
    }

    private Object value(ResultSet row, int i, String column) throws SQLException {
        if (isTime(column)) {
            return times.read(row, i).orElse(null);
        } else if (FLAGS.contains(column)) {
            return row.getBoolean(i);
        } else if (column.equals("payload") || column.equals("result")) {
            return row.getBytes(i) == null ? null : new String(row.getBytes(i), StandardCharsets.UTF_8);
        }
        return row.getString(i);
    }

    private static boolean isTime(String column) {
        return column.endsWith("_at")
                || column.endsWith("_until")
                || column.startsWith("data_hora")
                || column.equals("proxima_tentativa");
    }

    List<String> columns(String view) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("SELECT * FROM " + view + " WHERE 1 = 0")) {
            String[] names = new String[none.getMetaData().getColumnCount()];
            for (int i = 0; i < names.length; i++) {
                names[i] = none.getMetaData().getColumnLabel(i + 1).toLowerCase(Locale.ROOT);
            }
            return Arrays.asList(names);
        }
    }
}
