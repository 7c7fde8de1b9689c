package dev.leat.bench.sql;

import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.bench.Machine;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.server.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Starts, counts, works on and cancels a group of a million tasks, and looks how long that keeps others waiting. */
final class GroupBench {
    private static final String Q = "tasks";
    private static final int DEFAULT_TASKS = 1_000_000;
    private static final int BLOCK = 1_000;
    private static final int SETTLED = 100;
    private static final int INFOS = 21;
    /** Nobody is to wait longer for a transaction that moves tasks, nor for the counts. */
    private static final double BAR_SECONDS = 1;

    private final Leat leat;
    private final Connection observer;
    private double longestTransaction;
    private double longestInfo;

    private GroupBench(Leat leat, Connection observer) {
        this.leat = leat;
        this.observer = observer;
    }

    /** @param args how many tasks, if not a million */
    public static void main(String[] args) throws SQLException {
        System.out.println(Machine.here());
        int tasks = args.length == 0 ? DEFAULT_TASKS : Integer.parseInt(args[0]);
        String url = PostgresServer.shared(PostgresServer.Version.V18).newDatabase();
        try (Leat leat = Leat.open(url);
                Connection observer = DriverManager.getConnection(url)) {
            GroupBench bench = new GroupBench(leat, observer);
            bench.run(tasks);
            boolean isMet = bench.longestTransaction < BAR_SECONDS && bench.longestInfo < BAR_SECONDS;
            say(
                    "%s longest transaction %.3f s, longest count %.3f s (bar %.0f s)",
                    isMet ? "PASS" : "FAIL", bench.longestTransaction, bench.longestInfo, BAR_SECONDS);
            System.exit(isMet ? 0 : 1);
        }
    }

    private void run(int tasks) throws SQLException {
        leat.queue(Q).create(QueueOptions.standard());
        Group group = leat.createGroup(GroupSpec.named("million"));
        long began = System.nanoTime();
        List<NewTask> block =
                Collections.nCopies(BLOCK, NewTask.to(Q).group(group.id()).build());
        for (int put = 0; put < tasks; put += BLOCK) {
            leat.putAll(block);
        }
        say("put %,d tasks in %.1f s", tasks, secondsSince(began));
        count("waiting", group);

        began = System.nanoTime();
        group.start();
        say("start answered after %.2f s", secondsSince(began));
        workUntil("starting", () -> leat.queue(Q).stats().count(TaskState.WAITING) == 0);
        say("start was over after %.1f s", secondsSince(began));
        count("started", group);
        long end = System.nanoTime() + 5_000_000_000L;
        workUntil("started", () -> System.nanoTime() >= end);

        began = System.nanoTime();
        GroupInfo canceling = group.cancel("enough");
        say("cancel answered after %.2f s, with %,d tasks dropped", secondsSince(began), canceling.canceled());
        workUntil("canceling", () -> group.info().state().isEnded());
        say("cancel was over after %.1f s", secondsSince(began));
        count("canceled", group);
        GroupInfo ended = group.info();
        if (ended.total() != tasks || ended.done() + ended.canceled() != tasks) {
            throw new IllegalStateException("lost count: " + ended);
        }
    }

    private void count(String when, Group group) {
        double[] seconds = new double[INFOS];
        for (int i = 0; i < INFOS; i++) {
            long began = System.nanoTime();
            group.info();
            seconds[i] = secondsSince(began);
        }
        Arrays.sort(seconds);
        longestInfo = Math.max(longestInfo, seconds[INFOS - 1]);
        say("counts while %s: p50 %.4f s, max %.4f s; %s", when, seconds[INFOS / 2], seconds[INFOS - 1], group.info());
    }

    /** Takes and acknowledges beside it, and looks how long others' transactions are open. */
    private void workUntil(String when, BooleanSupplier isOver) throws SQLException {
        double longest = 0;
        double inAll = 0;
        int turns = 0;
        while (!isOver.getAsBoolean()) {
            longestTransaction = Math.max(longestTransaction, oldestTransaction());
            long began = System.nanoTime();
            List<TakenTask> taken = leat.take(TakeRequest.from(Q).count(SETTLED));
            leat.settle(taken.stream().map(task -> Settle.ack(task.lease())).toList());
            double seconds = secondsSince(began);
            longest = Math.max(longest, seconds);
            inAll += seconds;
            turns++;
        }
        say(
                "while %s, a take and the acks of %d: mean %.4f s, max %.4f s, of %d",
                when, SETTLED, inAll / Math.max(1, turns), longest, turns);
    }

    private double oldestTransaction() throws SQLException {
        try (Statement statement = observer.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                                + " AND backend_type = 'client backend'")) {
            row.next();
            return row.getDouble(1);
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    private static void say(String text, Object... values) {
        System.out.println(String.format(Locale.ROOT, text, values));
    }
}
