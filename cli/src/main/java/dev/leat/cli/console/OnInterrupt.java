package dev.leat.cli.console;

/** Replaces the effect of Ctrl-C until it is closed. */
public final class OnInterrupt implements AutoCloseable {
    private final Thread hook;

    public OnInterrupt(String thread, Runnable run) {
        hook = new Thread(run, thread);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Whether it was not too late: otherwise it runs, or has run. */
    public boolean isForgotten() {
        try {
            return Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return false;
        }
    }

    @Override
    public void close() {
        isForgotten();
    }
}
