package dev.leat.tenant;

import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Threads that do the same at once. */
final class Together<T> {
    private final List<FutureTask<T>> tasks = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    Together(int count, Callable<T> work) {
        for (int i = 0; i < count; i++) {
            FutureTask<T> task = new FutureTask<>(work);
            Thread thread = new Thread(task, "together-" + i);
            thread.setDaemon(true);
            tasks.add(task);
            threads.add(thread);
            thread.start();
        }
    }

    /** Until all are waiting for something. */
    Together<T> awaitWaiting() {
        await().until(() -> threads.stream()
                .allMatch(thread ->
                        thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING));
        return this;
    }

    void interrupt() {
        threads.forEach(Thread::interrupt);
    }

    List<T> results() throws Exception {
        List<T> results = new ArrayList<>();
        for (FutureTask<T> task : tasks) {
            results.add(task.get());
        }
        return results;
    }

    /** What each of them has thrown. */
    List<Throwable> failures() throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        for (FutureTask<T> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                failures.add(e.getCause());
            }
        }
        return failures;
    }
}
