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
    private static final int MOST = 3;

    private final List<List<String>> pieces = new CopyOnWriteArrayList<>();
    private final Semaphore mayWork = new Semaphore(0);
    private volatile boolean wasInterrupted;
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final Coalescer<String> coalescer = new Coalescer<>(MOST, String::length, this::work);

    private void work(List<String> items) {
        mayWork.acquireUninterruptibly();
        wasInterrupted |= Thread.currentThread().isInterrupted();
        pieces.add(items);
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
    void aLoneCallerWorksAtOnce() {
        mayWork.release();
        coalescer.run("a");
        assertThat(pieces).containsExactly(List.of("a"));
    }

    @Test
    void whoComesDuringAWorkIsServedTogetherAndInOrder() {
        CompletableFuture<Void> first = call("a");
        List<CompletableFuture<Void>> later = List.of(call("b"), call("c"), call("d"));
        mayWork.release(2);
        first.join();
        later.forEach(CompletableFuture::join);
        assertThat(pieces).containsExactly(List.of("a"), List.of("b", "c", "d"));
    }

    @Test
    void aPieceIsNoLargerThanAllowed() {
        CompletableFuture<Void> first = call("a");
        List<CompletableFuture<Void>> later = List.of(call("bb"), call("cc"), call("dddd"), call("e"));
        mayWork.release(5);
        first.join();
        later.forEach(CompletableFuture::join);
        assertThat(pieces).containsExactly(List.of("a"), List.of("bb"), List.of("cc"), List.of("dddd"), List.of("e"));
    }

    @Test
    void aFailureReachesEverybodyOfItsPieceAndNobodyElse() {
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
    void anErrorIsItsWorkersOwnAndKeepsNobodyWaiting() {
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
    void anInterruptedCallerIsServedAndStaysInterrupted() {
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
        assertThat(wasInterrupted).as("while it worked for others too").isFalse();
        assertThat(pieces).containsExactly(List.of("a"), List.of("b"));
    }

    @Test
    void manyCallersAreAllServedOneWorkAtATime() {
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
