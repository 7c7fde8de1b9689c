package dev.leat.cli;

import java.io.PrintWriter;

/** Shows on a terminal how far a long command is; elsewhere it is silent. */
final class Progress implements AutoCloseable {
    private static final long EVERY_NANOS = 200_000_000;

    private final String verb;
    private final PrintWriter err;
    private final boolean isShown;
    private final long began = System.nanoTime();
    private long last = began;
    private boolean isAnyShown;

    private Progress(String verb, PrintWriter err, boolean isShown) {
        this.verb = verb;
        this.err = err;
        this.isShown = isShown;
    }

    static Progress onTerminal(String verb, PrintWriter err) {
        return new Progress(verb, err, System.console() != null);
    }

    void show(long done) {
        long now = System.nanoTime();
        if (isShown && now - last >= EVERY_NANOS) {
            last = now;
            isAnyShown = true;
            err.printf("\r%s: %,d tasks, %,.0f per second", verb, done, done / ((now - began) / 1e9));
            err.flush();
        }
    }

    @Override
    public void close() {
        if (isAnyShown) {
            err.println();
        }
    }
}
