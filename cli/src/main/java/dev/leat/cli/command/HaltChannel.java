package dev.leat.cli.command;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PostgreSQL channel that stops workers of nsj-queue-lib: {@code NOTIFY emails, 'HALT'}. A daemon thread listens on a
 * connection of its own and reopens a broken one. It misses a HALT that is sent in between, as nsj-queue-lib does.
 */
public final class HaltChannel implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HaltChannel.class);
    private static final String HALT = "HALT";
    private static final Duration LISTEN = Duration.ofSeconds(1);
    private static final Duration RECONNECT = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String jdbcUrl;
    private final String listenToAll;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** For the thread that listens. */
    private boolean isFailing;

    /** Also listens to the name in lower case: SQL folds an unquoted name to lower case. */
    public HaltChannel(String jdbcUrl, String name) {
        this.jdbcUrl = jdbcUrl;
        this.listenToAll = Stream.of(name, name.toLowerCase(Locale.ROOT))
                .distinct()
                .map(channel -> "LISTEN \"" + channel.replace("\"", "\"\"") + "\"")
                .collect(Collectors.joining("; "));
    }

    /** Runs {@code halt} once, on the listening thread, when HALT arrives. */
    public void listen(Runnable halt) {
        Thread listener = new Thread(() -> listenUntilClosed(halt), "leat-halt");
        listener.setDaemon(true);
        listener.start();
    }

    private void listenUntilClosed(Runnable halt) {
        Duration pause = Duration.ZERO;
        while (!isClosedAfter(pause)) {
            try (Connection connection = DriverManager.getConnection(jdbcUrl, who())) {
                if (isHalted(connection)) {
                    halt.run();
                    return;
                }
            } catch (SQLException e) {
                if (!isFailing) {
                    log.warn("Cannot be told to halt, and keeps trying to listen: {}", e.getMessage());
                }
                isFailing = true;
                pause = RECONNECT;
            }
        }
    }

    private static Properties who() {
        Properties who = new Properties();
        who.setProperty("ApplicationName", "leat-halt");
        return who;
    }

    /** Answers false when closed. Listens again and again, or it would not notice that the server is gone. */
    private boolean isHalted(Connection connection) throws SQLException {
        PGConnection notifications = connection.unwrap(PGConnection.class);
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(PATIENCE.toMillis()));
        try (Statement statement = connection.createStatement()) {
            while (!isClosedAfter(Duration.ZERO)) {
                statement.execute(listenToAll);
                isFailing = false;
                PGNotification[] heard = notifications.getNotifications(Math.toIntExact(LISTEN.toMillis()));
                if (heard != null
                        && Arrays.stream(heard)
                                .map(PGNotification::getParameter)
                                .anyMatch(HALT::equals)) {
                    return true;
                }
            }
            return false;
        }
    }

    private boolean isClosedAfter(Duration time) {
        try {
            return closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Ends the thread, within a second or so. */
    @Override
    public void close() {
        closed.countDown();
    }
}
