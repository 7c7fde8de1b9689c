package dev.leat.sql.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers that come at the same time share one piece of work: while some work, those who come wait, and then one of
 * them does the work of all. Nobody waits when nobody works. Safe from any thread.
 */
final class Coalescer<T> {
    private final int mostAtOnce;
    private final int mostWorkers;
    private final ToIntFunction<T> size;
    private final Consumer<List<T>> work;
    private final Deque<Call<T>> waiting = new ArrayDeque<>();
    private int workers;

    private static final class Call<T> {
        final T item;
        final Thread thread = Thread.currentThread();
        volatile boolean done;
        volatile boolean chosen;
        volatile @Nullable RuntimeException error;

        Call(T item) {
            this.item = item;
        }
    }

    /**
     * @param mostWorkers how many callers work at the same time
     * @param mostAtOnce about how much is done in one piece, by {@code size}
     * @param work does a piece of work, and leaves the results in its items
     */
    Coalescer(int mostWorkers, int mostAtOnce, ToIntFunction<T> size, Consumer<List<T>> work) {
        this.mostWorkers = mostWorkers;
        this.mostAtOnce = mostAtOnce;
        this.size = size;
        this.work = work;
    }

    /** Returns when the work of {@code item} is done; throws what it threw. */
    void run(T item) {
        Call<T> call = new Call<>(item);
        synchronized (this) {
            waiting.add(call);
            if (workers < mostWorkers) {
                workers++;
                call.chosen = true;
            }
        }
        boolean interrupted = false;
        while (!call.done) {
            if (call.chosen) {
                call.chosen = false;
                work();
            } else {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
        }
        if (call.chosen) {
            passOn(); // another worker was faster
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        RuntimeException error = call.error;
        if (error != null) {
            throw error;
        }
    }

    /** Does one piece; then the next in line goes on. */
    private void work() {
        List<Call<T>> piece = nextPiece();
        RuntimeException failed = new IllegalStateException("the work was broken off by an error");
        try {
            if (!piece.isEmpty()) {
                work.accept(piece.stream().map(call -> call.item).toList());
            }
            failed = null;
        } catch (RuntimeException e) {
            failed = e;
        } finally {
            passOn();
            for (Call<T> call : piece) {
                call.error = failed;
                call.done = true;
                LockSupport.unpark(call.thread);
            }
        }
    }

    private synchronized List<Call<T>> nextPiece() {
        List<Call<T>> piece = new ArrayList<>();
        int total = 0;
        for (Call<T> call = waiting.peek();
                call != null && (piece.isEmpty() || total + size.applyAsInt(call.item) <= mostAtOnce);
                call = waiting.peek()) {
            piece.add(waiting.remove());
            total += size.applyAsInt(call.item);
        }
        return piece;
    }

    private synchronized void passOn() {
        for (Call<T> next : waiting) {
            if (!next.chosen) {
                next.chosen = true;
                LockSupport.unpark(next.thread);
                return;
            }
        }
        workers--;
    }
}
