package dev.leat.server.internal;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs short jobs again and again, one after the other on a thread of its own, which may block. */
public final class PeriodicJobs implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PeriodicJobs.class);
    private static final long STOP_SECONDS = 5;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(run -> {
        Thread made = new Thread(run, "leat-server-rounds");
        made.setDaemon(true);
        return made;
    });

    /** Runs a job, with this delay after each run. */
    public void every(Duration pause, Runnable what) {
        Future<?> unused = thread.scheduleWithFixedDelay(
                () -> {
                    try {
                        what.run();
                    } catch (RuntimeException e) {
                        log.error("A periodic job of the server failed; runs it again later", e);
                    }
                },
                pause.toMillis(),
                pause.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
