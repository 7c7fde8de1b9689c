package dev.leat.sql.internal;

import dev.leat.storage.Notice;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Neighbours that are told by NOTIFY (RULES 32). What there is to tell is gathered for a millisecond and sent by one thread,
 * outside of everybody's transaction, because NOTIFY lets commits happen only one after the other. Another thread listens
 * on a connection of its own, which it opens anew when it breaks; what is missed meanwhile is found by polling.
 *
 * <p>A message is {@code <sender> <kind> <words>}; the sender's own come back to it too and are dropped. It is far shorter
 * than the 8000 bytes that PostgreSQL allows, since the names in it are.
 */
final class PostgresNeighbours implements Neighbours {
    private static final Logger log = LoggerFactory.getLogger(PostgresNeighbours.class);
    private static final String LISTENER = "leat-listener";
    private static final long GATHER_MILLIS = 1;
    private static final int LISTEN_MILLIS = 500;
    private static final long RECONNECT_MILLIS = 500;
    /** A connection that only listens does not notice that the other side is gone: so often it asks. */
    private static final Duration ASK_EVERY = Duration.ofSeconds(10);

    private static final long LISTEN_PATIENCE_MILLIS = 5_000;
    private static final long STOP_MILLIS = 5_000;

    private final Db db;
    private final Connections connections;
    private final String channel;
    private final Hearer hearer;
    private final String sender =
            Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    /** What is to be told, each once; fresh rows with the lowest id. */
    private final Map<String, Optional<Long>> untold = new LinkedHashMap<>();

    private final Map<String, Thread> threads = new HashMap<>();
    private final CountDownLatch listening = new CountDownLatch(1);
    private volatile boolean closed;

    PostgresNeighbours(Db db, Connections connections, Tables tables, Hearer hearer) {
        this.db = db;
        this.connections = connections;
        this.channel = tables.channel();
        this.hearer = hearer;
    }

    // Telling

    @Override
    public void tell(Notice notice) {
        if (notice instanceof Notice.Ready ready) {
            add("ready " + ready.queue(), Optional.empty());
        } else if (notice instanceof Notice.Paused paused) {
            add("paused " + paused.queue(), Optional.empty());
        } else if (notice instanceof Notice.SessionNews news) {
            add("session " + news.session(), Optional.empty());
        } else {
            add("timer", Optional.empty());
        }
    }

    @Override
    public void tellFresh(String queue, int priority, long id) {
        add("fresh " + queue + " " + priority, Optional.of(id));
    }

    /** The message has no sender: this process does not know of the commit either. */
    @Override
    public void tellFresh(Tx transaction, String queue, int priority, long id) {
        String message = "- fresh " + queue + " " + priority + " " + id;
        transaction.list("notify-sleepers", row -> 1, channel, message, queue);
    }

    private void add(String words, Optional<Long> id) {
        lock.lock();
        try {
            untold.merge(words, id, (a, b) -> Optional.of(Math.min(a.orElse(0L), b.orElse(0L))));
            more.signalAll();
            start("leat-notifier", this::notifyOthers);
        } finally {
            lock.unlock();
        }
    }

    private void notifyOthers() {
        boolean isMore = true;
        while (isMore) {
            try {
                List<String> messages = nextMessages();
                isMore = !messages.isEmpty();
                if (isMore) {
                    db.atOnce(
                            Db.Repeat.HARMLESS,
                            tx -> tx.list("notify", row -> 1, channel, messages.toArray(new String[0])));
                    TimeUnit.MILLISECONDS.sleep(GATHER_MILLIS);
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                log.debug("Could not tell other processes, who will find out by polling: {}", e.toString());
            }
        }
    }

    /** Waits for something to tell; empty when closed and all was told. */
    private List<String> nextMessages() throws InterruptedException {
        lock.lock();
        try {
            while (untold.isEmpty() && !closed) {
                more.await();
            }
            List<String> messages = untold.entrySet().stream()
                    .map(entry -> sender + " " + entry.getKey()
                            + entry.getValue().map(id -> " " + id).orElse(""))
                    .toList();
            untold.clear();
            return messages;
        } finally {
            lock.unlock();
        }
    }

    // Hearing

    /** Returns when the server listens for us, so that nothing said afterwards is missed; or when it takes too long. */
    @Override
    public void listen() {
        lock.lock();
        try {
            start(LISTENER, this::hearOthers);
        } finally {
            lock.unlock();
        }
        try {
            boolean unused = listening.await(LISTEN_PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hearOthers() {
        boolean failing = false;
        while (!closed) {
            try {
                Connection connection = connections.open();
                try {
                    connections.limitSilence(connection, Connections.SILENCE);
                    execute(connection, "LISTEN");
                    failing = false;
                    listening.countDown();
                    hearAll(connection);
                    execute(connection, "UNLISTEN");
                } finally {
                    connections.close(connection);
                }
            } catch (SQLException | RuntimeException e) {
                if (!failing && !closed) {
                    log.warn("Cannot hear other processes, polls meanwhile and keeps trying: {}", e.getMessage());
                }
                failing = true;
                if (closed || !pause()) {
                    return;
                }
            }
        }
    }

    private void execute(Connection connection, String command) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(command + " \"" + channel + "\"");
        }
    }

    private void hearAll(Connection connection) throws SQLException {
        PGConnection notifications = connection.unwrap(PGConnection.class);
        long asked = System.nanoTime();
        while (!closed) {
            PGNotification[] heard = notifications.getNotifications(LISTEN_MILLIS);
            for (PGNotification message : heard == null ? new PGNotification[0] : heard) {
                hearSafely(message.getParameter());
            }
            if (System.nanoTime() - asked >= ASK_EVERY.toNanos()) {
                if (!connection.isValid((int) ASK_EVERY.toSeconds())) {
                    throw new SQLException("the server does not answer any more");
                }
                asked = System.nanoTime();
            }
        }
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(RECONNECT_MILLIS);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Anybody may send anything on the channel; the thread must live on. */
    private void hearSafely(String message) {
        try {
            hear(message);
        } catch (RuntimeException e) {
            log.warn("Could not make sense of the notification '{}': {}", message, e.toString());
        }
    }

    private void hear(String message) {
        String[] words = message.split(" ", 3);
        if (words.length < 2 || words[0].equals(sender)) {
            return;
        }
        String rest = words.length == 3 ? words[2] : "";
        switch (words[1]) {
            case "ready" -> hearer.hear(new Notice.Ready(rest));
            case "paused" -> hearer.hear(new Notice.Paused(rest));
            case "session" -> hearer.hear(new Notice.SessionNews(rest));
            case "timer" -> hearer.hear(Notice.TimerMoved.INSTANCE);
            case "fresh" -> {
                String[] row = rest.split(" ", 3);
                hearer.hearFresh(row[0], Integer.parseInt(row[1]), Long.parseLong(row[2]));
            }
            case "bye" -> log.trace("A process has closed its storage");
            default -> log.debug("A newer version of Leat said something this one does not know: {}", message);
        }
    }

    // Threads

    private void start(String name, Runnable run) {
        if (!closed && !threads.containsKey(name)) {
            Thread thread = new Thread(run, name);
            thread.setDaemon(true);
            threads.put(name, thread);
            thread.start();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (threads.containsKey(LISTENER)) {
                add("bye", Optional.empty()); // our own listener hears it too, and need not be waited for
            }
            closed = true;
            more.signalAll();
        } finally {
            lock.unlock();
        }
        threads.values().forEach(PostgresNeighbours::join);
    }

    private static void join(Thread thread) {
        try {
            if (thread != Thread.currentThread()) {
                thread.join(STOP_MILLIS);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
