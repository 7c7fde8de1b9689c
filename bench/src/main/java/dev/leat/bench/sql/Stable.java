package dev.leat.bench.sql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The processes of a workload's contenders, each started when it is first needed and kept, warm, for all rounds. */
final class Stable implements AutoCloseable {
    private final Node node;
    private final Map<Peer, List<ContenderProcess>> processes = new LinkedHashMap<>();

    Stable(Node node) {
        this.node = node;
    }

    /** @param number which of its processes, from 0 on */
    ContenderProcess process(Peer peer, int number) throws IOException {
        List<ContenderProcess> started = processes.computeIfAbsent(peer, none -> new ArrayList<>());
        while (started.size() <= number) {
            started.add(ContenderProcess.start(peer, node));
        }
        return started.get(number);
    }

    /** Ends the processes of a contender that failed, whatever state they are in. */
    void drop(Peer peer) {
        List<ContenderProcess> started = processes.remove(peer);
        if (started != null) {
            started.forEach(ContenderProcess::close);
        }
    }

    @Override
    public void close() {
        List.copyOf(processes.keySet()).forEach(this::drop);
    }
}
