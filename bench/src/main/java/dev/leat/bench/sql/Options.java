package dev.leat.bench.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a run was asked for.
 *
 * @param peers who takes part; empty for all
 */
record Options(Scale scale, int rounds, Set<String> peers, List<Workload> workloads) {
    private static final int ROUNDS = 3;

    static final String USAGE = """
            usage: bench/sql [--quick] [--rounds=N] [--only=PEER,...] [WORKLOAD...]
              --quick      one round with smaller sizes
              --rounds=N   so many rounds instead of 3
              --only=...   only these of: %s
              WORKLOAD     only these, or those that begin so: %s
            """.formatted(
                    Peer.all().stream().map(Peer::contender).collect(Collectors.joining(", ")),
                    Workloads.all().stream().map(Workload::name).collect(Collectors.joining(", ")));

    /** Empty when the arguments make no sense. */
    static Optional<Options> parse(String[] args) {
        Scale scale = Scale.FULL;
        OptionalInt rounds = OptionalInt.empty();
        Set<String> peers = Set.of();
        List<String> names = new ArrayList<>();
        for (String arg : args) {
            if (arg.equals("--quick")) {
                scale = Scale.QUICK;
            } else if (arg.matches("--rounds=[1-9][0-9]?")) {
                rounds = OptionalInt.of(Integer.parseInt(value(arg)));
            } else if (arg.startsWith("--only=")) {
                peers = Set.of(value(arg).split(","));
            } else if (arg.startsWith("-")) {
                return Optional.empty();
            } else {
                names.add(arg.toLowerCase(Locale.ROOT));
            }
        }
        boolean peersKnown =
                Peer.all().stream().map(Peer::contender).collect(Collectors.toSet()).containsAll(peers);
        boolean namesKnown =
                names.stream().allMatch(name -> Workloads.all().stream().anyMatch(isCalled(name)));
        if (!peersKnown || !namesKnown) {
            return Optional.empty();
        }
        List<Workload> workloads = Workloads.all().stream()
                .filter(workload -> names.isEmpty()
                        || names.stream().anyMatch(name -> isCalled(name).test(workload)))
                .toList();
        int defaultRounds = scale == Scale.QUICK ? 1 : ROUNDS;
        return Optional.of(new Options(scale, rounds.orElse(defaultRounds), peers, workloads));
    }

    private static Predicate<Workload> isCalled(String name) {
        return workload -> workload.name().toLowerCase(Locale.ROOT).startsWith(name);
    }

    private static String value(String arg) {
        return arg.substring(arg.indexOf('=') + 1);
    }

    boolean includes(Peer peer) {
        return peers.isEmpty() || peers.contains(peer.contender());
    }
}
