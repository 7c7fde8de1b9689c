package dev.leat.bench.sql;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;

/** A contender's turn: its process, opened on an empty database, and where its figures go. */
final class Turn implements AutoCloseable {
    private final Peer peer;
    private final Scale scale;
    private final Server server;
    private final Stable stable;
    private final BiConsumer<Measure, Double> figures;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Database database;
    private final ContenderProcess contender;
    private int others;

    Turn(Peer peer, Scale scale, Server server, Stable stable, BiConsumer<Measure, Double> figures) throws Exception {
        this.peer = peer;
        this.scale = scale;
        this.server = server;
        this.stable = stable;
        this.figures = figures;
        this.database = anotherDatabase();
        this.contender = stable.process(peer, 0);
    }

    Peer peer() {
        return peer;
    }

    /** A number of tasks, or another size, for the scale of this run. */
    int size(int full, int quick, int warmUp) {
        return scale.of(full, quick, warmUp);
    }

    Server server() {
        return server;
    }

    Database database() {
        return database;
    }

    /** The contender; the workload opens it. */
    ContenderProcess contender() {
        return contender;
    }

    /** Opens the contender on this turn's database; it is closed at the end of the turn. */
    ContenderProcess open() throws Exception {
        contender.open(database);
        opened.push(contender::closeContender);
        return contender;
    }

    /** One more empty database, dropped at the end of the turn. */
    Database anotherDatabase() throws Exception {
        Database another = server.newDatabase();
        opened.push(another);
        return another;
    }

    /** One more process of the same contender, as warm as the first; the workload opens it, the turn closes it. */
    ContenderProcess anotherProcess() throws Exception {
        others++;
        ContenderProcess another = stable.process(peer, others);
        opened.push(another::closeContender);
        return another;
    }

    void record(Measure measure, double value) {
        figures.accept(measure, value);
    }

    @Override
    public void close() throws Exception {
        Exception first = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
