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
 * Lets callers that come at the same time share one piece of work: while one works, those who come wait, and then the first
 * of them does the work of all. Nobody waits when nobody works. One at a time: with two the pieces were a third as large,
 * and the whole slower. Safe from any thread.
 */
final class Coalescer<T> {
    private final int mostAtOnce;
    private final ToIntFunction<T> size;
    private final Consumer<List<T>> work;
    private final Deque<Call<T>> waiting = new ArrayDeque<>();
    private boolean isAnybodyWorking;

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
     * @param mostAtOnce about how much is done in one piece, by {@code size}
     * @param work does a piece of work, and leaves the results in its items
     */
    Coalescer(int mostAtOnce, ToIntFunction<T> size, Consumer<List<T>> work) {
        this.mostAtOnce = mostAtOnce;
        this.size = size;
        this.work = work;
    }

    /** Returns when the work of {@code item} is done; throws what it threw. */
    void run(T item) {
        Call<T> call = new Call<>(item);
        synchronized (this) {
            waiting.add(call);
            call.isNext = !isAnybodyWorking;
            isAnybodyWorking = true;
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
     * Returns when the call is done or is the next to work; answers whether the caller was interrupted. That is kept from the
     * work, which is done for others too.
     */
    private boolean await(Call<T> call) {
        boolean interrupted = Thread.interrupted();
        while (!call.isNext && !call.isDone) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        return interrupted;
    }

    /** Does one piece, which begins with the caller's own item; then the next in line goes on. */
    private void work() {
        List<Call<T>> piece = nextPiece();
        RuntimeException failed = new IllegalStateException("the work was broken off by an error");
        try {
            work.accept(piece.stream().map(call -> call.item).toList());
            failed = null;
        } catch (RuntimeException e) {
            failed = e;
        } finally {
            passOn();
            for (Call<T> call : piece) {
                call.error = failed;
                call.isDone = true;
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
        Call<T> next = waiting.peek();
        if (next == null) {
            isAnybodyWorking = false;
        } else {
            next.isNext = true;
            LockSupport.unpark(next.thread);
        }
    }
}
