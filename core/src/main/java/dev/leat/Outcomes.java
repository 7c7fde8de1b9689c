package dev.leat;

import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.OutcomeForgottenException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.internal.Checks;
import dev.leat.internal.waiting.Answers;
import dev.leat.internal.waiting.Awaiter;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The ends of tasks, and the chunks of their results: reads them, and waits for them. Get it from {@link Leat#outcomes()}.
 *
 * <pre>{@code
 * Awaited awaited = leat.outcomes().await(taskId, Duration.ofSeconds(30));
 * awaited.ended().ifPresent(outcome -> System.out.println(outcome.state()));
 * }</pre>
 *
 * <p>Any number of callers can wait for one task; the storage is asked once for all of them. The {@code …Async} methods hold no thread while
 * they wait. Cancel their future to stop waiting. Code attached to the future runs on the thread that serves all waiters of the process,
 * so hand longer work to another thread.
 */
public final class Outcomes {
    private final Storage storage;
    private final Awaiter awaiter;
    private final Runnable checkOpen;

    /** @param checkOpen throws {@link ClosedException} when the Leat is closed */
    Outcomes(Storage storage, Awaiter awaiter, Runnable checkOpen) {
        this.storage = storage;
        this.awaiter = awaiter;
        this.checkOpen = checkOpen;
    }

    /** Returns how a task ended; empty while the task lives. */
    public Optional<Outcome> find(long taskId) {
        return storage.outcome(taskId);
    }

    /**
     * Waits up to {@code timeout} until a task has ended or is buried. With a timeout of zero, it returns the present state at once.
     *
     * @throws TaskNotFoundException when the storage has no such task
     * @throws OutcomeForgottenException when the task ended so long ago that the storage no longer has its outcome
     */
    public Awaited await(long taskId, Duration timeout) throws InterruptedException {
        awaiter.checkMayWait();
        return Answers.get(awaitAsync(taskId, timeout));
    }

    /** Does what {@link #await(long, Duration)} does, without a waiting thread. */
    public CompletableFuture<Awaited> awaitAsync(long taskId, Duration timeout) {
        checkOpen.run();
        return awaiter.await(taskId, Awaiter.NO_CHUNKS, timeout);
    }

    /**
     * Waits for the live task that has the address; without such a task, it returns {@link Awaited.NotThere} at once. A caller that knows
     * the task's id uses {@link #await(long, Duration)} instead, which also finds a task that has ended.
     */
    public Awaited await(String queue, String address, Duration timeout) throws InterruptedException {
        awaiter.checkMayWait();
        return Answers.get(awaitAsync(queue, address, timeout));
    }

    /** Does what {@link #await(String, String, Duration)} does, without a waiting thread. */
    public CompletableFuture<Awaited> awaitAsync(String queue, String address, Duration timeout) {
        checkOpen.run();
        return awaiter.await(queue, Checks.name("address", address), timeout);
    }

    /**
     * Waits like {@link #await(long, Duration)}, and also returns when the task has a chunk beyond {@code seen}. So a caller can read the
     * first chunks while the task makes the next ones.
     *
     * @param seen the last chunk that the caller knows, 0 for none
     */
    public Awaited awaitChunk(long taskId, int seen, Duration timeout) throws InterruptedException {
        awaiter.checkMayWait();
        return Answers.get(awaitChunkAsync(taskId, seen, timeout));
    }

    /** Does what {@link #awaitChunk} does, without a waiting thread. */
    public CompletableFuture<Awaited> awaitChunkAsync(long taskId, int seen, Duration timeout) {
        checkOpen.run();
        return awaiter.await(taskId, Checks.atLeast("seen", 0, seen), timeout);
    }

    /**
     * Reports that the chunk {@code number} of the result is ready, and all chunks before it; returns false when the lease is lost. Handlers
     * call {@link dev.leat.worker.RunningTask#chunk} instead. Chunks count from 1, and from 1 again in the next attempt.
     *
     * @throws InvalidRequestException when the number is less than 1
     */
    public boolean reportChunk(Lease lease, int number) {
        return storage.chunk(lease, Checks.atLeast("number", 1, number));
    }
}
