package dev.leat.bench.sql;

import java.util.ArrayList;
import java.util.List;

/** Eight processes that take ten at a time, against one process that does the same from eight threads. */
final class ManyProcesses implements Workload {
    private static final Measure ONE = Measure.rate("one process, 8 threads, takes of 10");
    private static final Measure EIGHT = Measure.rate("8 processes, takes of 10");
    private static final int PROCESSES = 8;
    private static final String ALONE = "take-and-ack " + PROCESSES + " 10";
    private static final String ONE_OF_MANY = "take-and-ack 1 10";

    @Override
    public String name() {
        return "processes";
    }

    @Override
    public String title() {
        return "take and ack of 50,000 tasks by eight processes and by one";
    }

    @Override
    public List<Peer> contenders() {
        return List.of(Peer.LEAT);
    }

    @Override
    public List<Requirement> bars() {
        return List.of(Requirement.times(Requirement.Limit.AT_LEAST, 0.8, EIGHT, ONE));
    }

    @Override
    public void run(Turn turn) throws Exception {
        int tasks = turn.size(50_000, 10_000, 30_000);
        ContenderProcess first = turn.open();
        List<ContenderProcess> all = new ArrayList<>(List.of(first));
        while (all.size() < PROCESSES) {
            ContenderProcess another = turn.anotherProcess();
            another.open(turn.database());
            all.add(another);
        }
        // Each warms up alone: eight that are being compiled on few cores measure nothing else.
        for (int i = 0; i < turn.size(1, 1, 4); i++) {
            for (ContenderProcess each : all) {
                first.fill(tasks);
                each.ask(ALONE);
            }
        }

        first.fill(tasks);
        turn.database().analyze();
        turn.record(ONE, rate(List.of(first.numbers(ALONE)), tasks));

        first.fill(tasks);
        for (ContenderProcess each : all) {
            each.send(ONE_OF_MANY);
        }
        List<long[]> parts = new ArrayList<>();
        for (ContenderProcess each : all) {
            parts.add(ContenderProcess.numbersOf(each.answer()));
        }
        turn.record(EIGHT, rate(parts, tasks));
    }

    /** @param parts how many tasks each had, when it began, and when it acknowledged the last */
    private static double rate(List<long[]> parts, int tasks) {
        long sum = parts.stream().mapToLong(part -> part[0]).sum();
        if (sum != tasks) {
            throw new IllegalStateException(sum + " of " + tasks + " tasks were acknowledged");
        }
        long begin = parts.stream().mapToLong(part -> part[1]).min().orElseThrow();
        long end = parts.stream().mapToLong(part -> part[2]).max().orElseThrow();
        return tasks / ((end - begin) / 1e9);
    }
}
