package dev.leat.bench.sql;

import dev.leat.Leat;
import dev.leat.TakenTask;
import dev.leat.bench.Machine;
import dev.leat.bench.Median;
import dev.leat.storagetests.server.PostgresServer;
import dev.leat.topic.Subscription;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The ack of one publication with 10,000 subscriptions, beside an INSERT of as many rows by PostgreSQL itself. */
final class FanOutBench {
    private static final int SUBSCRIPTIONS = 10_000;
    private static final int ROUNDS = 7;
    private static final int WARM_UPS = 2;
    private static final double BAR_SECONDS = 2;

    private FanOutBench() {}

    public static void main(String[] args) throws SQLException {
        System.out.println(Machine.here());
        String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
        List<Double> own = new ArrayList<>();
        List<Double> raw = new ArrayList<>();
        try (Leat leat = Leat.open(url);
                Connection connection = DriverManager.getConnection(url)) {
            for (int i = 0; i < SUBSCRIPTIONS; i++) {
                leat.subscriptions()
                        .put(Subscription.to("orders", "subscriber " + i).queue("copies"));
            }
            for (int round = 0; round < WARM_UPS + ROUNDS; round++) {
                double acked = fanOut(leat);
                double inserted = insert(connection);
                if (round >= WARM_UPS) {
                    own.add(acked);
                    raw.add(inserted);
                    say("%,d copies in %.3f s; PostgreSQL by itself %.3f s", SUBSCRIPTIONS, acked, inserted);
                }
            }
        }
        double seconds = Median.of(own).orElseThrow();
        boolean isMet = seconds < BAR_SECONDS;
        say(
                "%s %,d copies: %.3f s, %.1f × PostgreSQL by itself (bar %.0f s)",
                isMet ? "PASS" : "FAIL",
                SUBSCRIPTIONS,
                seconds,
                seconds / Median.of(raw).orElseThrow(),
                BAR_SECONDS);
        System.exit(isMet ? 0 : 1);
    }

    private static double fanOut(Leat leat) {
        leat.publish("orders", "x".repeat(100), task -> {});
        TakenTask publication = leat.take("orders").orElseThrow();
        long began = System.nanoTime();
        leat.ack(publication);
        double seconds = (System.nanoTime() - began) / 1e9;
        long copies = leat.queue("copies").stats().live();
        if (copies != SUBSCRIPTIONS) {
            throw new IllegalStateException(copies + " copies instead of " + SUBSCRIPTIONS);
        }
        leat.queue("copies").truncate();
        return seconds;
    }

    private static double insert(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS raw");
            statement.execute("CREATE TABLE raw (id BIGINT PRIMARY KEY, subscriber TEXT, payload BYTEA)");
            long began = System.nanoTime();
            statement.execute("INSERT INTO raw SELECT n, 'subscriber ' || n, convert_to(repeat('x', 100), 'UTF8')"
                    + " FROM generate_series(1, " + SUBSCRIPTIONS + ") n");
            return (System.nanoTime() - began) / 1e9;
        }
    }

    private static void say(String text, Object... values) {
        System.out.println(String.format(Locale.ROOT, text, values));
    }
}
