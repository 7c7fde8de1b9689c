package dev.leat.bench.sql;

import java.util.List;

/** All workloads, in the order in which they run. */
final class Workloads {
    private Workloads() {}

    static List<Workload> all() {
        return List.of(
                new Putting(),
                new Draining(),
                new Sustaining(),
                new PickingUp(),
                DrainingBesideBacklog.future(),
                DrainingBesideBacklog.lessImportant(),
                new PinnedSnapshot(),
                DrainingBesideBacklog.busyKeys(),
                new TenMillion(),
                new ManyProcesses(),
                new RetryStorm(),
                new DueAtOnce(),
                new TenKeys(),
                new OnMariaDb(),
                new OnSqlite(),
                new NeverAnalysed(),
                new Idling(),
                new Sleepers(),
                new ServerRestart());
    }
}
