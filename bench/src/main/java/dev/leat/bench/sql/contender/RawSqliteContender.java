package dev.leat.bench.sql.contender;

import dev.leat.Leat;
import dev.leat.bench.sql.contender.Command.Words;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/**
 * A loop of statements on one connection to a file with Leat's own tables: what batches cost without Leat. It has no
 * sessions, no keys, no groups, no events and nobody else to think of. Its calls come from one thread.
 */
final class RawSqliteContender implements Contender {
    private static final String INSERT =
            "INSERT INTO leat_task (queue_id, priority, created, due, payload) VALUES (?, 0, ?, ?, ?)";
    private static final String TAKE = """
            UPDATE leat_task SET state = 5, attempts = attempts + 1, nonce = ?, session_id = 'loop', taken_at = ?
            WHERE id IN (
              SELECT id FROM leat_task WHERE queue_id = ? AND state = 4 ORDER BY priority, place, id LIMIT ?)
            RETURNING id, payload""";
    private static final String ACK = "DELETE FROM leat_task WHERE id = ? AND nonce = ? AND state = 5";

    private @Nullable Connection connection;
    private long queue;

    /** @param url as Leat's, {@code sqlite:file?synchronous=…} */
    @Override
    public void open(String url) throws SQLException {
        try (Leat leat = Leat.open(url)) {
            leat.queue(LeatContender.QUEUE).ensure();
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.valueOf(url.replaceFirst(".*synchronous=", "")));
        connection = config.createConnection("jdbc:" + url.replaceFirst("\\?.*", ""));
        connection.setAutoCommit(false);
        try (PreparedStatement select = connection.prepareStatement("SELECT id FROM leat_queue WHERE name = ?")) {
            select.setString(1, LeatContender.QUEUE);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                queue = row.getLong(1);
            }
        }
    }

    Map<String, Command> commands() {
        return Map.of("take-and-ack", this::takeAndAck);
    }

    private Connection connection() {
        if (connection == null) {
            throw new IllegalStateException("open it first");
        }
        return connection;
    }

    @Override
    public void put(String payload) throws SQLException {
        putAll(List.of(payload));
    }

    @Override
    public void putAll(List<String> payloads) throws SQLException {
        long now = micros();
        try (PreparedStatement insert = connection().prepareStatement(INSERT)) {
            for (String payload : payloads) {
                insert.setLong(1, queue);
                insert.setLong(2, now);
                insert.setLong(3, now);
                insert.setBytes(4, payload.getBytes(StandardCharsets.UTF_8));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection().commit();
    }

    private static long micros() {
        return System.currentTimeMillis() * 1_000;
    }

    /** {@code take-and-ack 1 <size>}: as Leat's, which understands more than one thread too. */
    private String takeAndAck(Words words) throws SQLException {
        long tasks = 0;
        long first = System.nanoTime();
        long last = first;
        long nonce = 0;
        for (List<Long> taken = take(words.number(1), ++nonce);
                !taken.isEmpty();
                taken = take(words.number(1), ++nonce)) {
            ack(taken, nonce);
            tasks += taken.size();
            last = System.nanoTime();
        }
        return tasks + " " + first + " " + last;
    }

    private List<Long> take(int size, long nonce) throws SQLException {
        List<Long> taken = new ArrayList<>(size);
        try (PreparedStatement take = connection().prepareStatement(TAKE)) {
            take.setLong(1, nonce);
            take.setLong(2, micros());
            take.setLong(3, queue);
            take.setInt(4, size);
            try (ResultSet row = take.executeQuery()) {
                while (row.next()) {
                    taken.add(row.getLong(1));
                    row.getBytes(2);
                }
            }
        }
        connection().commit();
        return taken;
    }

    private void ack(List<Long> ids, long nonce) throws SQLException {
        try (PreparedStatement ack = connection().prepareStatement(ACK)) {
            for (long id : ids) {
                ack.setLong(1, id);
                ack.setLong(2, nonce);
                ack.addBatch();
            }
            ack.executeBatch();
        }
        connection().commit();
    }

    @Override
    public void work(Handled handled, Mode mode) {
        throw new UnsupportedOperationException("the loop has no handlers");
    }

    @Override
    public boolean isSettled(long tasks) {
        throw new UnsupportedOperationException("the loop has no handlers");
    }

    @Override
    public void stop() {}

    @Override
    public void close() throws SQLException {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
