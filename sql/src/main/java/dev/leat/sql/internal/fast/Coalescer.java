package dev.leat.sql.internal.fast;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs the work of simultaneous callers in batches. The first caller runs a batch at once. Callers that arrive meanwhile wait,
 * and then one of them runs the next batch for all. Only one batch runs at a time: with two, batches had a third of the size
 * and throughput was lower. Safe from any thread.
 */
final class Coalescer<T> {
    private final int batchSize;
    private final ToIntFunction<T> size;
    private final Consumer<List<T>> work;
    private final Deque<Call<T>> waiting = new ArrayDeque<>();
    private boolean isBatchRunning;

    private static final class Call<T> {
        final T item;
        final Thread thread = Thread.currentThread();
        volatile boolean isNext;
        volatile boolean isDone;
        volatile @Nullable RuntimeException error;

        Call(T item) {
            this.item = item;
        }
    }

    /**
     * @param batchSize the size at which a batch takes no more items; a single larger item is a batch of its own
     * @param work runs a batch and leaves the results in the items
     */
    Coalescer(int batchSize, ToIntFunction<T> size, Consumer<List<T>> work) {
        this.batchSize = batchSize;
        this.size = size;
        this.work = work;
    }

    /** Returns when the batch with {@code item} is done, or throws the exception of the batch. */
    void run(T item) {
        Call<T> call = new Call<>(item);
        synchronized (this) {
            waiting.add(call);
            call.isNext = !isBatchRunning;
            isBatchRunning = true;
        }
        boolean interrupted = await(call);
        try {
            if (!call.isDone) {
                work();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        RuntimeException error = call.error;
        if (error != null) {
            throw error;
        }
    }

    /**
     * Waits until the call is done or has to run the next batch; returns whether the caller was interrupted. The interrupt stays
     * away from the work, because other callers need the work too.
     */
    private boolean await(Call<T> call) {
        boolean interrupted = Thread.interrupted();
        while (!call.isNext && !call.isDone) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        return interrupted;
    }

    /** Runs one batch, which begins with the caller's item, and wakes the caller that runs the next one. */
    private void work() {
        List<Call<T>> batch = nextBatch();
        RuntimeException failed = new IllegalStateException("an error ended the batch");
        try {
            work.accept(batch.stream().map(call -> call.item).toList());
            failed = null;
        } catch (RuntimeException e) {
            failed = e;
        } finally {
            wakeNext();
            for (Call<T> call : batch) {
                call.error = failed;
                call.isDone = true;
                LockSupport.unpark(call.thread);
            }
        }
    }

    private synchronized List<Call<T>> nextBatch() {
        List<Call<T>> batch = new ArrayList<>();
        int total = 0;
        for (Call<T> call = waiting.peek();
                call != null && (batch.isEmpty() || total + size.applyAsInt(call.item) <= batchSize);
                call = waiting.peek()) {
            batch.add(waiting.remove());
            total += size.applyAsInt(call.item);
        }
        return batch;
    }

    private synchronized void wakeNext() {
        Call<T> next = waiting.peek();
        if (next == null) {
            isBatchRunning = false;
        } else {
            next.isNext = true;
            LockSupport.unpark(next.thread);
        }
    }
}
