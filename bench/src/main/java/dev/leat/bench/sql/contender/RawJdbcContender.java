package dev.leat.bench.sql.contender;

import com.zaxxer.hikari.HikariDataSource;
import dev.leat.Leat;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Threads that insert into Leat's own table by themselves: what puts cost without Leat. Works nothing off. */
final class RawJdbcContender implements Contender {
    private static final int CONNECTIONS = 64;
    private static final String INSERT = "INSERT INTO leat_task (queue_id, priority, payload) VALUES (?, 0, ?)";

    private @Nullable HikariDataSource pool;
    private long queue;

    @Override
    public void open(String url) throws SQLException {
        try (Leat leat = Leat.open(url)) {
            leat.queue(LeatContender.QUEUE).ensure();
        }
        pool = Pool.open(url, CONNECTIONS);
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT id FROM leat_queue WHERE name = ?")) {
            select.setString(1, LeatContender.QUEUE);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                queue = row.getLong(1);
            }
        }
    }

    private Connection connection() throws SQLException {
        if (pool == null) {
            throw new IllegalStateException("open it first");
        }
        return pool.getConnection();
    }

    @Override
    public void put(String payload) throws SQLException {
        try (Connection connection = connection();
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            bind(insert, payload);
            insert.executeUpdate();
        }
    }

    @Override
    public void putAll(List<String> payloads) throws SQLException {
        try (Connection connection = connection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                for (String payload : payloads) {
                    bind(insert, payload);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void bind(PreparedStatement insert, String payload) throws SQLException {
        insert.setLong(1, queue);
        insert.setBytes(2, payload.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void work(Handled handled, Mode mode) {
        throw new UnsupportedOperationException("plain JDBC only puts");
    }

    @Override
    public boolean isSettled(long tasks) {
        throw new UnsupportedOperationException("plain JDBC only puts");
    }

    @Override
    public void stop() {}

    @Override
    public void close() {
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }
}
