package dev.leat.sql.internal.fast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoalescerTest {
    private static final int BATCH_SIZE = 3;

    private final List<List<String>> batches = new CopyOnWriteArrayList<>();
    private final Semaphore mayWork = new Semaphore(0);
    private volatile boolean wasInterrupted;
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final Coalescer<String> coalescer = new Coalescer<>(BATCH_SIZE, String::length, this::work);

    private void work(List<String> items) {
        mayWork.acquireUninterruptibly();
        wasInterrupted |= Thread.currentThread().isInterrupted();
        batches.add(items);
        if (items.contains("!")) {
            throw new IllegalArgumentException("refused");
        }
        if (items.contains("#")) {
            throw new AssertionError("broken");
        }
    }

    @AfterEach
    void stop() {
        mayWork.release(1_000);
        callers.shutdown();
    }

    private CompletableFuture<Void> call(String item) {
        AtomicReference<Thread> caller = new AtomicReference<>();
        CompletableFuture<Void> done = CompletableFuture.runAsync(
                () -> {
                    caller.set(Thread.currentThread());
                    coalescer.run(item);
                },
                callers);
        await().until(() -> caller.get() != null && caller.get().getState() == Thread.State.WAITING);
        return done;
    }

    @Test
    void aSingleCallerRunsABatchAtOnce() {
        mayWork.release();
        coalescer.run("a");
        assertThat(batches).containsExactly(List.of("a"));
    }

    @Test
    void callersThatArriveDuringABatchShareTheNextOneInOrder() {
        CompletableFuture<Void> first = call("a");
        List<CompletableFuture<Void>> later = List.of(call("b"), call("c"), call("d"));
        mayWork.release(2);
        first.join();
        later.forEach(CompletableFuture::join);
        assertThat(batches).containsExactly(List.of("a"), List.of("b", "c", "d"));
    }

    @Test
    void aBatchIsNoLargerThanAllowed() {
        CompletableFuture<Void> first = call("a");
        List<CompletableFuture<Void>> later = List.of(call("bb"), call("cc"), call("dddd"), call("e"));
        mayWork.release(5);
        first.join();
        later.forEach(CompletableFuture::join);
        assertThat(batches).containsExactly(List.of("a"), List.of("bb"), List.of("cc"), List.of("dddd"), List.of("e"));
    }

    @Test
    void aFailureReachesAllCallersOfItsBatchAndNoOthers() {
        CompletableFuture<Void> first = call("a");
        List<CompletableFuture<Void>> failing = List.of(call("!"), call("b"), call("c"));
        CompletableFuture<Void> next = call("d");
        mayWork.release(3);
        first.join();
        for (CompletableFuture<Void> each : failing) {
            assertThatThrownBy(each::join)
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("refused");
        }
        next.join();
    }

    @Test
    void anErrorReachesTheThreadThatRanTheBatchAndTheOthersGetAnException() {
        CompletableFuture<Void> first = call("a");
        CompletableFuture<Void> worker = call("#");
        CompletableFuture<Void> other = call("b");
        mayWork.release(2);
        first.join();
        assertThatThrownBy(worker::join).hasCauseInstanceOf(AssertionError.class);
        assertThatThrownBy(other::join).hasCauseInstanceOf(IllegalStateException.class);

        mayWork.release();
        coalescer.run("c");
    }

    @Test
    void anInterruptedCallerGetsItsResultAndStaysInterrupted() {
        CompletableFuture<Void> first = call("a");
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread caller = new Thread(() -> {
            coalescer.run("b");
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        caller.start();
        await().until(() -> caller.getState() == Thread.State.WAITING);
        caller.interrupt();
        mayWork.release(2);
        first.join();
        await().until(() -> !caller.isAlive());
        assertThat(interrupted).isTrue();
        assertThat(wasInterrupted).as("during the batch").isFalse();
        assertThat(batches).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void onlyOneBatchRunsAtATime() {
        AtomicInteger working = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        Coalescer<Integer> counting = new Coalescer<>(100, item -> 1, items -> {
            most.accumulateAndGet(working.incrementAndGet(), Math::max);
            served.addAndGet(items.size());
            working.decrementAndGet();
        });
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            all.add(CompletableFuture.runAsync(
                    () -> {
                        for (int n = 0; n < 2_000; n++) {
                            counting.run(n);
                        }
                    },
                    callers));
        }
        all.forEach(CompletableFuture::join);
        assertThat(served).hasValue(16 * 2_000);
        assertThat(most).hasValue(1);
    }
}
