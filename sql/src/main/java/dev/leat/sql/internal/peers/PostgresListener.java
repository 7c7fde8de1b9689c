package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.ConnectionSource;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.storage.Notice;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Neighbours that are told by NOTIFY and heard by LISTEN. A thread listens on a connection of its own, which it opens anew when
 * it breaks; what is missed meanwhile is found by polling.
 */
public final class PostgresListener extends PostgresNotifier {
    private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);
    private static final int LISTEN_MILLIS = 500;
    private static final long RECONNECT_MILLIS = 500;
    /** A connection that only listens does not notice that the other side is gone: so often it asks. */
    private static final Duration ASK_EVERY = Duration.ofSeconds(10);

    private static final long LISTEN_PATIENCE_MILLIS = 5_000;

    private final ConnectionSource connections;
    private final Hearer hearer;
    private final CountDownLatch listening = new CountDownLatch(1);
    private @Nullable Thread listener;
    private volatile boolean closed;

    public PostgresListener(Db db, ConnectionSource connections, Tables tables, Hearer hearer) {
        super(db, tables);
        this.connections = connections;
        this.hearer = hearer;
    }

    /** Returns when the server listens for us, so that nothing said afterwards is missed; or when it takes too long. */
    @Override
    public void listen() {
        startOnce();
        try {
            boolean unused = listening.await(LISTEN_PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void startOnce() {
        if (listener == null && !closed) {
            listener = start("leat-listener", this::hearOthers);
        }
    }

    private void hearOthers() {
        boolean failing = false;
        while (!closed) {
            try {
                Connection connection = connections.openToListen();
                try {
                    connections.limitSilence(connection, ConnectionSource.SILENCE);
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
            statement.execute(command + " \"" + channel() + "\"");
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
        if (words.length < 2 || words[0].equals(sender())) {
            return;
        }
        String rest = words.length == 3 ? words[2] : "";
        switch (words[1]) {
            case "ready" -> hearer.hear(new Notice.Ready(rest));
            case "paused" -> hearer.hear(new Notice.Paused(rest));
            case "session" -> hearer.hear(new Notice.SessionNews(rest));
            case "task" -> hearer.hear(new Notice.TaskNews(Long.parseLong(rest)));
            case "timer" -> hearer.hear(Notice.TimerMoved.INSTANCE);
            case "fresh" -> {
                String[] row = rest.split(" ", 3);
                hearer.hearFresh(row[0], Integer.parseInt(row[1]), Long.parseLong(row[2]));
            }
            case "bye" -> log.trace("A process has closed its storage");
            default -> log.debug("A newer version of Leat said something this one does not know: {}", message);
        }
    }

    @Override
    public void close() {
        Thread running = stopListening();
        super.close();
        end(running);
    }

    private synchronized @Nullable Thread stopListening() {
        closed = true;
        if (listener != null) {
            tell("bye"); // our own listener hears it too, and need not be waited for
        }
        return listener;
    }
}
