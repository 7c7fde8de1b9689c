package dev.leat.bench.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
 * @param against the commit whose Leat takes part too
 */
record Options(Scale scale, int rounds, Set<String> peers, Optional<String> against, List<Workload> workloads) {
    private static final int ROUNDS = 3;

    static final String USAGE = """
            usage: bench/sql [--quick] [--rounds=N] [--only=PEER,...] [--against COMMIT] [WORKLOAD...]
              --quick            one round with smaller sizes
              --rounds=N         so many rounds instead of 3
              --only=...         only these of: %s
              --against COMMIT   Leat of that commit too, beside leat
              WORKLOAD           only these, or those that begin so: %s
            """.formatted(
                    Peer.all().stream().map(Peer::contender).collect(Collectors.joining(", ")),
                    Workloads.all().stream().map(Workload::name).collect(Collectors.joining(", ")));

    /** Empty when the arguments make no sense. */
    static Optional<Options> parse(String[] args) {
        Scale scale = Scale.FULL;
        OptionalInt rounds = OptionalInt.empty();
        Set<String> peers = Set.of();
        Optional<String> against = Optional.empty();
        List<String> names = new ArrayList<>();
        Deque<String> left = new ArrayDeque<>(List.of(args));
        while (!left.isEmpty()) {
            String arg = left.pop();
            if (arg.equals("--quick")) {
                scale = Scale.QUICK;
            } else if (arg.matches("--rounds=[1-9][0-9]?")) {
                rounds = OptionalInt.of(Integer.parseInt(value(arg)));
            } else if (arg.startsWith("--only=")) {
                peers = Set.of(value(arg).split(","));
            } else if (arg.equals("--against")
                    && !left.isEmpty()
                    && !left.peek().startsWith("-")) {
                against = Optional.of(left.pop());
            } else if (arg.startsWith("--against=")) {
                against = Optional.of(value(arg));
            } else if (arg.startsWith("-")) {
                return Optional.empty();
            } else {
                names.add(arg.toLowerCase(Locale.ROOT));
            }
        }
        boolean peersKnown = Peer.all().stream()
                .map(Peer::contender)
                .collect(Collectors.toSet())
                .containsAll(peers);
        boolean namesKnown =
                names.stream().allMatch(name -> Workloads.all().stream().anyMatch(isCalled(name)));
        if (!peersKnown || !namesKnown || against.isPresent() && !includes(peers, Peer.LEAT)) {
            return Optional.empty();
        }
        List<Workload> workloads = Workloads.all().stream()
                .filter(workload -> names.isEmpty()
                        || names.stream().anyMatch(name -> isCalled(name).test(workload)))
                .toList();
        int defaultRounds = scale == Scale.QUICK ? 1 : ROUNDS;
        return Optional.of(new Options(scale, rounds.orElse(defaultRounds), peers, against, workloads));
    }

    private static Predicate<Workload> isCalled(String name) {
        return workload -> workload.name().toLowerCase(Locale.ROOT).startsWith(name);
    }

    private static String value(String arg) {
        return arg.substring(arg.indexOf('=') + 1);
    }

    boolean includes(Peer peer) {
        return includes(peers, peer);
    }

    private static boolean includes(Set<String> peers, Peer peer) {
        return peers.isEmpty() || peers.contains(peer.contender());
    }
}
