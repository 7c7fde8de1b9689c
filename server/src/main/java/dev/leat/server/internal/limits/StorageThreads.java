package dev.leat.server.internal.limits;

import io.vertx.core.Context;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that call the storage: a fixed number, with a bounded queue of waiting calls. */
public final class StorageThreads implements AutoCloseable {
    private static final long IDLE_SECONDS = 30;
    private static final long STOP_SECONDS = 5;

    private final ThreadPoolExecutor pool;

    public StorageThreads(int threads, int line) {
        BlockingQueue<Runnable> waiting = line == 0 ? new SynchronousQueue<>() : new ArrayBlockingQueue<>(line);
        pool = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, waiting, run -> {
            Thread thread = new Thread(run, "leat-storage-call");
            thread.setDaemon(true);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
    }

    /** Runs a call soon, or returns false if too many calls wait already. */
    public boolean offer(Runnable call) {
        try {
            pool.execute(call);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Refuses to run on an event loop: a blocked event loop delays all its connections. */
    public static void check() {
        if (Context.isOnEventLoopThread()) {
            throw new IllegalStateException("a storage call on an event loop");
        }
    }

    @Override
    public void close() {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                pool.shutdownNow();
            }
        } catch (InterruptedException e) {
            pool.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
