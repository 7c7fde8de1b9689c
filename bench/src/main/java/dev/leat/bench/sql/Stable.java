package dev.leat.bench.sql;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/** The processes of a workload's contenders, each started when it is first needed and kept, warm, for all rounds. */
final class Stable implements AutoCloseable {
    private final Node node;
    private final Map<Peer, ContenderProcess> processes = new EnumMap<>(Peer.class);

    Stable(Node node) {
        this.node = node;
    }

    ContenderProcess contender(Peer peer) throws IOException {
        ContenderProcess process = processes.get(peer);
        if (process == null) {
            process = another(peer);
            processes.put(peer, process);
        }
        return process;
    }

    /** A process that the caller closes. */
    ContenderProcess another(Peer peer) throws IOException {
        return ContenderProcess.start(peer, node);
    }

    /** Ends the process of a contender that failed, whatever state it is in. */
    void drop(Peer peer) {
        ContenderProcess process = processes.remove(peer);
        if (process != null) {
            process.close();
        }
    }

    @Override
    public void close() {
        processes.values().forEach(ContenderProcess::close);
        processes.clear();
    }
}
