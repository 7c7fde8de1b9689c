package dev.leat.bench;

import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the memory storage and the worker runtime against a plain locked heap.
 *
 * <p>All cases run in each round, one after the other, so that a slow minute of the machine hits the case and its
 * baseline alike. The first round warms up and is not counted.
 */
final class MemoryBench {
    private static final int ROUNDS = 5;
    private static final int QUICK_ROUNDS = 1;
    private static final int MILLION = 1_000_000;
    private static final Path RESULTS = Path.of("bench", "results", "memory.json");

    private static final int TAKES = 100_000;

    private MemoryBench() {}

    /** @param args {@code --quick} for one round only, {@code --save} to write the results file */
    public static void main(String[] args) throws Exception {
        List<String> options = List.of(args);
        for (String option : options) {
            if (!List.of("--quick", "--save").contains(option)) {
                System.err.println("usage: bench/memory [--quick] [--save]");
                System.exit(2);
            }
        }
        Machine machine = Machine.here();
        System.out.println(machine);
        int rounds = options.contains("--quick") ? QUICK_ROUNDS : ROUNDS;
        Report report = new Report(machine, rounds, measure(cases(), rounds));
        report.print(System.out);
        if (options.contains("--save")) {
            report.save(RESULTS);
        }
        System.exit(report.figures().stream().anyMatch(Figure::missesItsBar) ? 1 : 0);
    }

    private static List<Case> cases() {
        Case heap = Case.of("locked heap, one by one, 1 thread", MILLION, () -> LockedHeap.cycle(MILLION, 1));
        Case heapInBatches =
                Case.of("locked heap, batches of 100, 1 thread", MILLION, () -> LockedHeap.cycle(MILLION, Work.BATCH));
        Case takeBehindNothing = Case.of("take behind nothing", TAKES, () -> BusyKeys.takeBehind(0, TAKES));
        return List.of(
                heap,
                heapInBatches,
                storage("storage, batches of 100, 1 thread", Work.BATCH, 1)
                        .against(heapInBatches)
                        .mustReach(Bar.tasksPerSecond(1_000_000)),
                storage("storage, one by one, 1 thread", 1, 1).against(heap).mustReach(Bar.tasksPerSecond(300_000)),
                storage("storage, one by one, 4 threads", 1, 4).against(heap),
                drain("worker of 1, retention none", 1, Retention.none()).against(heap),
                drain("worker of 4, retention none", 4, Retention.none()).against(heap),
                drain("worker of 1, retention default", 1, Retention.standard()).against(heap),
                drain("worker of 4, retention default", 4, Retention.standard()).against(heap),
                Case.of("T48: 10 keys × 150,000, worker of 10", 1_500_000, () -> BusyKeys.drain(10, 150_000, 10))
                        .against(heap)
                        .mustReach(Bar.seconds(10)),
                takeBehindNothing,
                Case.of("take behind 100,000 of a busy key", TAKES, () -> BusyKeys.takeBehind(100_000, TAKES))
                        .against(takeBehindNothing)
                        .mustReach(Bar.ratio(0.5)));
    }

    private static Case storage(String name, int batch, int threads) {
        return Case.of(name, MILLION, () -> StorageCycle.nanos(MILLION, batch, threads));
    }

    private static Case drain(String name, int concurrency, Retention retention) {
        QueueOptions options = QueueOptions.builder().retention(retention).build();
        return Case.of(name, MILLION, () -> WorkerDrain.nanos(MILLION, concurrency, options))
                .mustReach(Bar.tasksPerSecond(500_000));
    }

    private static List<Figure> measure(List<Case> cases, int rounds) throws Exception {
        long[][] nanos = new long[cases.size()][rounds];
        for (int round = -1; round < rounds; round++) {
            System.err.println(round < 0 ? "warming up…" : "round " + (round + 1) + " of " + rounds + "…");
            for (int i = 0; i < nanos.length; i++) {
                System.gc(); // so that nobody pays for the garbage of the case before
                long took = cases.get(i).run().nanos();
                if (round >= 0) {
                    nanos[i][round] = took;
                }
            }
        }
        List<Figure> figures = new ArrayList<>();
        for (int i = 0; i < nanos.length; i++) {
            Case each = cases.get(i);
            figures.add(Figure.of(each, nanos[i], nanos[cases.indexOf(each.baseline())]));
        }
        return figures;
    }
}
