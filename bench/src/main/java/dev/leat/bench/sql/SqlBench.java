package dev.leat.bench.sql;

import dev.leat.bench.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Measures Leat and its peers on PostgreSQL.
 *
 * <p>The contenders take turns within each round, so that a slow minute of the machine hits all of them. Before the
 * first round each does a little of the workload again and again for some seconds, to warm up. The Leat of another
 * commit has its turns after Leat's.
 */
final class SqlBench {
    private final Options options;
    private final Server server;
    private final Node node;
    private final Optional<Peer> otherLeat;
    private volatile boolean stopping;

    private SqlBench(Options options, Server server, Node node, Optional<Peer> otherLeat) {
        this.options = options;
        this.server = server;
        this.node = node;
        this.otherLeat = otherLeat;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stopping = true, "stopping"));
    }

    /** @param args see {@link Options#USAGE} */
    public static void main(String[] args) throws Exception {
        Optional<Options> options = Options.parse(args);
        if (options.isEmpty()) {
            System.err.println(Options.USAGE);
            System.exit(2);
        }
        Optional<Peer> otherLeat = Optional.empty();
        try {
            otherLeat = otherLeat(options.get());
        } catch (IOException e) {
            System.err.println("bench/sql: " + e.getMessage());
            System.exit(2);
        }
        System.exit(run(options.get(), otherLeat) ? 0 : 1);
    }

    private static Optional<Peer> otherLeat(Options options) throws IOException {
        return options.against().isPresent()
                ? Optional.of(Peer.leatOf(OtherCommit.build(options.against().get())))
                : Optional.empty();
    }

    /** Whether every bar is met, and the other commit's Leat ran everything. */
    private static boolean run(Options options, Optional<Peer> otherLeat) throws Exception {
        Machine machine = Machine.here();
        Node node = Node.prepare();
        try (Server server = Server.start()) {
            Map<Workload, Results> results = new SqlBench(options, server, node, otherLeat).measure();
            Report report = new Report(
                    machine, server.description(), options.scale().name(), options.rounds(), results, otherLeat);
            report.print(System.out);
            Path file = report.save();
            System.err.println("saved to " + file);
            return report.allBarsMet() && report.otherLeatRanEverything();
        }
    }

    private Map<Workload, Results> measure() {
        Map<Workload, Results> results = new LinkedHashMap<>();
        for (Workload workload : options.workloads()) {
            results.put(workload, measure(workload));
        }
        return results;
    }

    private Results measure(Workload workload) {
        Results results = new Results();
        List<Peer> contenders = contenders(workload);
        for (Peer peer : contenders) {
            node.whyNot().filter(reason -> peer.needsNode()).ifPresent(reason -> results.failed(peer, reason));
        }
        try (Stable stable = new Stable(node)) {
            for (Peer peer : contenders) {
                long end = System.nanoTime() + options.scale().warmUp().toNanos();
                while (!results.hasFailed(peer) && System.nanoTime() - end < 0) {
                    turn(workload, peer, 0, stable, results);
                }
            }
            for (int round = 1; round <= options.rounds(); round++) {
                for (Peer peer : contenders) {
                    if (!results.hasFailed(peer)) {
                        turn(workload, peer, round, stable, results);
                    }
                }
            }
        }
        return results;
    }

    private List<Peer> contenders(Workload workload) {
        return workload.contenders().stream()
                .filter(options::includes)
                .flatMap(peer ->
                        peer == Peer.LEAT ? Stream.concat(Stream.of(peer), otherLeat.stream()) : Stream.of(peer))
                .toList();
    }

    /** @param round 0 warms up */
    private void turn(Workload workload, Peer peer, int round, Stable stable, Results results) {
        String where = String.format("%-10s %-9s %-24s", workload.name(), roundName(round), peer.title());
        Scale scale = round == 0 ? Scale.WARM_UP : options.scale();
        try (Turn turn = new Turn(peer, scale, server, stable, (measure, value) -> {
            System.err.println(
                    where + " " + measure.name() + ": " + measure.unit().write(value));
            if (round > 0) {
                results.add(measure, peer, value);
            }
        })) {
            workload.run(turn);
        } catch (Exception e) {
            awaitExitIfStopping();
            System.err.println(where + " failed: " + e.getMessage());
            results.failed(peer, "failed: " + e.getMessage());
            stable.drop(peer);
        }
    }

    /** After Ctrl-C everything fails, because server and contenders are being ended; that is no result. */
    private void awaitExitIfStopping() {
        while (stopping) {
            LockSupport.park();
        }
    }

    private String roundName(int round) {
        return round == 0 ? "warm-up" : "round " + round + "/" + options.rounds();
    }
}
