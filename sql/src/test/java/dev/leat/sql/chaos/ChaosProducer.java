package dev.leat.sql.chaos;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.PutResult;
import dev.leat.error.StorageException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Puts tasks of all kinds in transactions of its own, which it holds open for up to two seconds and then commits or rolls
 * back, until it is told to stop.
 */
final class ChaosProducer implements Runnable {
    private static final int MOST_TASKS = 6;
    private static final int KEYS = 4;

    private final Leat leat;
    private final String jdbcUrl;
    private final Ledger ledger;
    private final SplittableRandom random;
    private final CountDownLatch stop;

    ChaosProducer(Leat leat, String jdbcUrl, Ledger ledger, SplittableRandom random, CountDownLatch stop) {
        this.leat = leat;
        this.jdbcUrl = jdbcUrl;
        this.ledger = ledger;
        this.random = random;
        this.stop = stop;
    }

    @Override
    public void run() {
        try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
            connection.setAutoCommit(false);
            while (!isToldToStop(random.nextInt(100))) {
                putSome(connection);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void putSome(Connection connection) throws SQLException, InterruptedException {
        String label = Long.toHexString(random.nextLong());
        List<NewTask> tasks = new ArrayList<>();
        for (int i = random.nextInt(MOST_TASKS); i >= 0; i--) {
            tasks.add(task(label));
        }
        List<PutResult> put;
        try {
            put = leat.with(connection).putAll(tasks);
        } catch (StorageException e) {
            connection.rollback();
            return;
        }
        if (isToldToStop(holdMillis()) || random.nextInt(4) == 0) {
            connection.rollback();
            put.forEach(result -> ledger.writeTask(Entry.Event.ROLLED_BACK, result.id(), label));
        } else {
            connection.commit();
            for (int i = 0; i < put.size(); i++) {
                ledger.writeTask(
                        Entry.Event.COMMITTED,
                        put.get(i).id(),
                        tasks.get(i).key().orElse(""));
            }
        }
    }

    /** Waits for it so long at most; meanwhile the transaction, if there is one, stays open. */
    private boolean isToldToStop(int millis) throws InterruptedException {
        return stop.await(millis, TimeUnit.MILLISECONDS);
    }

    private NewTask task(String label) {
        int millis = random.nextInt(10) == 0 ? 300 : random.nextInt(20);
        String tries = random.nextInt(8) == 0 ? "fails" : "works";
        NewTask.Builder task = NewTask.to(ChaosWorker.QUEUE).payload(Payload.of(millis + " " + tries + " " + label));
        if (random.nextInt(3) == 0) {
            task.key("key" + random.nextInt(KEYS));
        }
        if (random.nextInt(5) == 0) {
            task.delay(Duration.ofMillis(random.nextInt(1_000)));
        }
        return task.build();
    }

    /** Mostly short, now and then long: a database with one writer must have time for others. */
    private int holdMillis() {
        return random.nextInt(12) == 0 ? random.nextInt(2_000) : random.nextInt(30);
    }
}
