package dev.leat.bench.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Leat on a SQLite file, beside a loop of plain statements on the same tables. */
final class OnSqlite implements Workload {
    private enum Synchronous {
        NORMAL,
        FULL;

        private final Measure put = Measure.rate("put by 1,000 on SQLite, " + name());
        private final Measure takeAndAck = Measure.rate("take and ack by 1,000 on SQLite, " + name());
        private final Measure drain = Measure.rate("drain on SQLite, " + name());
    }

    @Override
    public String name() {
        return "sqlite";
    }

    @Override
    public String title() {
        return "puts, takes and acks by 1,000 from one thread on a SQLite file, and a drain by a worker";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.RAW_SQLITE, Peer.LEAT);
    }

    @Override
    public List<Bar> bars() {
        return Stream.of(Synchronous.values())
                .flatMap(synchronous -> Stream.of(synchronous.put, synchronous.takeAndAck))
                .map(measure -> Bar.times(0.5, measure, Peer.LEAT, Peer.RAW_SQLITE))
                .toList();
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(100_000, 20_000, 5_000);
        for (Synchronous synchronous : Synchronous.values()) {
            Path folder = Files.createTempDirectory("leat-bench-sqlite");
            try {
                run(turn, synchronous, tasks, folder.resolve("tasks.db"));
            } finally {
                delete(folder);
            }
        }
    }

    private static void run(Turn turn, Synchronous synchronous, int tasks, Path file) throws IOException {
        ContenderProcess contender = turn.contender();
        contender.ask("open sqlite:" + file + "?synchronous=" + synchronous.name());
        try {
            turn.record(synchronous.put, contender.fill(tasks));
            long[] acked = contender.numbers("take-and-ack 1 1000");
            if (acked[0] != tasks) {
                throw new IllegalStateException(
                        String.format(Locale.ROOT, "%d of %d tasks were acknowledged", acked[0], tasks));
            }
            turn.record(synchronous.takeAndAck, tasks / ((acked[2] - acked[1]) / 1e9));
            if (turn.peer() != Peer.RAW_SQLITE) {
                contender.fill(tasks);
                turn.record(synchronous.drain, contender.drain(tasks));
            }
        } finally {
            contender.closeContender();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
