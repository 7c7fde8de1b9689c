package dev.leat.bench.sql;

import dev.leat.storagetests.server.MariaDbServer;
import java.util.List;
import java.util.Map;

/** What Leat does on MariaDB, where it goes the general way. */
final class OnMariaDb implements Workload {
    private static final Measure PUT = Measure.rate("puts by 1,000 on MariaDB");
    private static final Measure DRAIN = Measure.rate("drain on MariaDB");
    /** Each commit is on the disk, as on PostgreSQL; and both may keep as much in memory. */
    private static final Map<String, String> SETTINGS =
            Map.of("innodb_flush_log_at_trx_commit", "1", "innodb_buffer_pool_size", "1G", "max_allowed_packet", "64M");

    @Override
    public String name() {
        return "mariadb";
    }

    @Override
    public String title() {
        return "puts by 1,000 from one thread, and the drain of them, on MariaDB with every commit synced";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT, Peer.LEAT_KEEPING);
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(50_000, 10_000, 2_000);
        try (MariaDbServer server = MariaDbServer.start(SETTINGS)) {
            ContenderProcess contender = turn.contender();
            contender.ask("open " + server.newDatabase());
            try {
                turn.record(PUT, contender.fill(tasks));
                turn.record(DRAIN, contender.drain(tasks));
            } finally {
                contender.closeContender();
            }
        }
    }
}
