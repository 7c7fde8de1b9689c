package dev.leat.sql;

import dev.leat.NewTask;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares Leat with a plain JDBC loop on the same tables, in one run: a program, not a test, since times are no
 * specification. Arguments: how many tasks, how many at once, and NORMAL or FULL.
 */
final class SqliteSpeed {
    private static final int ROUNDS = 5;
    private static final byte[] PAYLOAD = new byte[100];

    private final Path folder;
    private final String synchronous;
    private final int tasks;
    private final int batch;

    private SqliteSpeed(Path folder, String synchronous, int tasks, int batch) {
        this.folder = folder;
        this.synchronous = synchronous;
        this.tasks = tasks;
        this.batch = batch;
    }

    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    /** Prepared once, as Leat does: otherwise small batches would measure the preparing. */
    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    private record Rates(double put, double work) {}

    public static void main(String[] args) throws Exception {
        int tasks = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        int batch = args.length > 1 ? Integer.parseInt(args[1]) : 1_000;
        String synchronous = args.length > 2 ? args[2] : "NORMAL";
        List<Double> put = new ArrayList<>();
        List<Double> work = new ArrayList<>();
        for (int round = -1; round < ROUNDS; round++) {
            SqliteSpeed speed = new SqliteSpeed(Files.createTempDirectory("leat-speed"), synchronous, tasks, batch);
            Rates plain = speed.plain();
            Rates leat = speed.leat();
            if (round >= 0) { // the first one only warms up
                put.add(leat.put / plain.put);
                work.add(leat.work / plain.work);
            }
            System.out.printf(
                    "put %,10.0f/s, plain %,10.0f/s, ratio %.2f   take+ack %,10.0f/s, plain %,10.0f/s, ratio %.2f%n",
                    leat.put, plain.put, leat.put / plain.put, leat.work, plain.work, leat.work / plain.work);
        }
        Collections.sort(put);
        Collections.sort(work);
        System.out.printf(
                "medians of %d rounds, %d tasks by %d, %s: put %.2f, take+ack %.2f%n",
                ROUNDS, tasks, batch, synchronous, put.get(ROUNDS / 2), work.get(ROUNDS / 2));
    }

    private Storage open(String file) {
        return Storages.open(
                "sqlite:" + folder.resolve(file) + "?synchronous=" + synchronous, StorageSettings.standard());
    }

    private Rates leat() {
        try (Storage storage = open("leat.db")) {
            storage.queues().create("q", QueueOptions.standard());
            String session = storage.sessions().open(SessionSpec.named("speed"));
            NewTask task = NewTask.to("q").payload(PAYLOAD).build();
            long start = System.nanoTime();
            for (int done = 0; done < tasks; done += batch) {
                storage.put(Collections.nCopies(batch, task));
            }
            double put = rate(start);
            start = System.nanoTime();
            TakeRequest request = TakeRequest.from("q").count(batch).session(session);
            for (List<TakenTask> taken = storage.take(request); !taken.isEmpty(); taken = storage.take(request)) {
                storage.settle(
                        taken.stream().<Settle>map(t -> Settle.ack(t.lease())).toList());
            }
            return new Rates(put, rate(start));
        }
    }

    private Rates plain() throws SQLException {
        open("plain.db").close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("plain.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA synchronous = " + synchronous);
            connection.setAutoCommit(false);
            long start = System.nanoTime();
            for (int done = 0; done < tasks; done += batch) {
                plainPut(connection);
            }
            double put = rate(start);
            start = System.nanoTime();
            for (int done = 0; done < tasks; done += batch) {
                plainAck(connection, plainTake(connection));
            }
            return new Rates(put, rate(start));
        }
    }

    private void plainPut(Connection connection) throws SQLException {
        PreparedStatement put = prepare(
                connection, "INSERT INTO leat_task (queue_id, priority, created, due, payload) VALUES (1, 0, ?, ?, ?)");
        long now = System.currentTimeMillis() * 1_000;
        for (int i = 0; i < batch; i++) {
            put.setLong(1, now);
            put.setLong(2, now);
            put.setBytes(3, PAYLOAD);
            put.addBatch();
        }
        put.executeBatch();
        connection.commit();
    }

    private List<Long> plainTake(Connection connection) throws SQLException {
        PreparedStatement select = prepare(
                connection,
                "SELECT id, payload, attempts, created FROM leat_task WHERE queue_id = 1 AND state = 4"
                        + " ORDER BY priority, place, id LIMIT ?");
        PreparedStatement lease = prepare(
                connection,
                "UPDATE leat_task SET state = 5, attempts = attempts + 1, nonce = ?, session_id = ?, taken_at = ?"
                        + " WHERE id = ?");
        List<Long> ids = new ArrayList<>();
        select.setInt(1, batch);
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
                rows.getBytes(2);
                rows.getInt(3);
                rows.getLong(4);
            }
        }
        long now = System.currentTimeMillis() * 1_000;
        for (long id : ids) {
            lease.setLong(1, id * 7_919);
            lease.setString(2, "speed#1s9x4f0k2m7qz");
            lease.setLong(3, now);
            lease.setLong(4, id);
            lease.addBatch();
        }
        lease.executeBatch();
        connection.commit();
        return ids;
    }

    private void plainAck(Connection connection, List<Long> ids) throws SQLException {
        PreparedStatement insert = prepare(
                connection,
                "INSERT INTO leat_finished (id, queue_id, state, finished_at, hidden_at, priority, created, due,"
                        + " attempts, failures, losses, releases, settled_nonce, settled_by, error_code, content_type)"
                        + " SELECT id, queue_id, 11, ?, ?, priority, created, due, attempts, failures, losses,"
                        + " releases, nonce, 1, 0, content_type FROM leat_task WHERE id = ? AND nonce = ?");
        PreparedStatement delete = prepare(connection, "DELETE FROM leat_task WHERE id = ?");
        long now = System.currentTimeMillis() * 1_000;
        for (long id : ids) {
            insert.setLong(1, now);
            insert.setLong(2, now + 86_400_000_000L);
            insert.setLong(3, id);
            insert.setLong(4, id * 7_919);
            insert.addBatch();
            delete.setLong(1, id);
            delete.addBatch();
        }
        insert.executeBatch();
        delete.executeBatch();
        connection.commit();
    }

    private double rate(long start) {
        return tasks / ((System.nanoTime() - start) / 1e9);
    }
}
