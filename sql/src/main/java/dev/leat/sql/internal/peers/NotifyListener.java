package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.ConnectionSource;
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
 * Receives messages by LISTEN. A daemon thread listens on a connection of its own and reopens a broken one. Polls find what is
 * missed meanwhile.
 */
final class NotifyListener implements Peers.Source {
    private static final Logger log = LoggerFactory.getLogger(NotifyListener.class);
    private static final int LISTEN_MILLIS = 500;
    private static final long RECONNECT_MILLIS = 500;
    /** A connection that only listens does not notice a dead server, so the thread checks the connection. */
    private static final Duration CHECK_EVERY = Duration.ofSeconds(10);

    private static final long START_LIMIT_MILLIS = 5_000;

    private final ConnectionSource connections;
    private final String channel;
    private final String process;
    private final Peers.Receiver receiver;
    private final Runnable sendGoodbye;
    private final CountDownLatch listening = new CountDownLatch(1);
    private @Nullable Thread thread;
    private volatile boolean closed;

    /**
     * @param process the name of this process, whose own messages come back and are dropped
     * @param sendGoodbye sends a message on the channel, which ends the wait of the thread
     */
    NotifyListener(
            ConnectionSource connections,
            String channel,
            String process,
            Peers.Receiver receiver,
            Runnable sendGoodbye) {
        this.connections = connections;
        this.channel = channel;
        this.process = process;
        this.receiver = receiver;
        this.sendGoodbye = sendGoodbye;
    }

    /** Returns when the server has accepted the LISTEN, so that no later message is missed; or after five seconds. */
    @Override
    public void start() {
        startOnce();
        try {
            boolean unused = listening.await(START_LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void startOnce() {
        if (thread == null && !closed) {
            thread = PeerThread.start("leat-listener", this::run);
        }
    }

    private void run() {
        boolean failing = false;
        while (!closed) {
            try {
                Connection connection = connections.openToListen();
                try {
                    connections.limitSilence(connection, ConnectionSource.SILENCE);
                    execute(connection, "LISTEN");
                    failing = false;
                    listening.countDown();
                    receiveAll(connection);
                    execute(connection, "UNLISTEN");
                } finally {
                    connections.close(connection);
                }
            } catch (SQLException | RuntimeException e) {
                if (!failing && !closed) {
                    log.warn(
                            "Cannot listen for notices of other processes; polls meanwhile and tries again: {}",
                            e.getMessage());
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

    private void receiveAll(Connection connection) throws SQLException {
        PGConnection notifications = connection.unwrap(PGConnection.class);
        long checked = System.nanoTime();
        while (!closed) {
            PGNotification[] received = notifications.getNotifications(LISTEN_MILLIS);
            for (PGNotification notification : received == null ? new PGNotification[0] : received) {
                receiveSafely(notification.getParameter());
            }
            if (System.nanoTime() - checked >= CHECK_EVERY.toNanos()) {
                if (!connection.isValid((int) CHECK_EVERY.toSeconds())) {
                    throw new SQLException("the server does not answer any more");
                }
                checked = System.nanoTime();
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

    /** Any program can send any text on the channel, and the thread must survive it. */
    private void receiveSafely(String text) {
        try {
            receive(text);
        } catch (RuntimeException e) {
            log.warn("Could not read the notification '{}': {}", text, e.toString());
        }
    }

    private void receive(String text) {
        if (text.startsWith(process + " ")) {
            return;
        }
        NotifyPayload payload = NotifyPayload.parse(text).orElse(null);
        if (payload == null) {
            log.debug("Ignores the notification '{}', perhaps of a newer version of Leat", text);
        } else if (payload.message() instanceof PeerMessage.OfNotice of) {
            receiver.receive(of.notice());
        } else if (payload.message() instanceof PeerMessage.FreshRows fresh) {
            receiver.receiveFresh(fresh.queue(), fresh.priority(), fresh.firstId());
        }
    }

    @Override
    public void close() {
        Thread running = stop();
        PeerThread.end(running);
    }

    private synchronized @Nullable Thread stop() {
        closed = true;
        if (thread != null) {
            sendGoodbye.run();
        }
        return thread;
    }
}
