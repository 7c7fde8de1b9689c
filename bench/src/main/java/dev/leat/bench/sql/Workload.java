package dev.leat.bench.sql;

import java.util.List;

/** Something that the contenders do, one after the other. */
interface Workload {
    /** What it is called on the command line. */
    String name();

    /** What it measures, in a sentence. */
    String title();

    /** Who takes part, in the order of their turns. */
    List<Peer> contenders();

    /** What has to be reached; nothing where the figures are only printed. */
    default List<Requirement> bars() {
        return List.of();
    }

    /** One contender's part of a round. */
    void run(Turn turn) throws Exception;
}
