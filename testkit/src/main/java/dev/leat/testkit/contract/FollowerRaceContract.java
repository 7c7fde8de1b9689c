package dev.leat.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.QueueOptions;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.storage.Storage;
import dev.leat.testkit.StorageFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A task that waits for others is let go, or canceled, whoever does what at the same moment: no end goes unnoticed. Covers RULES 2, 18. */
public abstract class FollowerRaceContract {
    private static final String Q = "q";
    private static final long TIMEOUT_SECONDS = 120;

    private StorageFixture fixture;
    private Storage storage;
    private String session;
    private int rounds;
    private long group;

    protected abstract StorageFixture newFixture();

    @BeforeEach
    void open() {
        fixture = newFixture();
        rounds = fixture.enough(400);
        storage = fixture.inRealTime();
        storage.createQueue(Q, QueueOptions.standard());
        session = storage.openSession(SessionSpec.named("racer"));
        group = storage.createGroup(GroupSpec.named("g")).id();
        put(member());
        storage.startGroup(group);
        take(); // so that the group goes on
    }

    @AfterEach
    void close() {
        storage.close();
        fixture.close();
    }

    private NewTask.Builder member() {
        return NewTask.to(Q).group(group);
    }

    private long put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0).id();
    }

    private Lease take() {
        return storage.take(TakeRequest.from(Q).session(session)).get(0).lease();
    }

    private TaskState state(long id) {
        return storage.peek(id).orElseThrow().state();
    }

    private <T> List<T> together(List<Callable<T>> calls) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(calls.size());
        try {
            CyclicBarrier barrier = new CyclicBarrier(calls.size());
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> call : calls) {
                futures.add(pool.submit(() -> {
                    barrier.await();
                    return call.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void aTaskThatIsPutWhileTheOneBeforeItIsAcknowledgedIsReady() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long first = put(member());
            Lease lease = take();

            List<Long> results = together(List.of(() -> put(member().after(first)), () -> {
                storage.settle(List.of(Settle.ack(lease)));
                return 0L;
            }));

            assertThat(state(results.get(0))).as("round %d", round).isEqualTo(TaskState.READY);
            storage.delete(results.get(0));
        }
    }

    @Test
    void aTaskThatIsPutWhileTheOneBeforeItIsBuriedIsCanceled() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long first = put(member());
            Lease lease = take();

            List<Long> results = together(List.of(() -> put(member().after(first)), () -> {
                storage.settle(List.of(Settle.bury(lease, "aside")));
                return 0L;
            }));

            assertThat(state(results.get(0))).as("round %d", round).isEqualTo(TaskState.CANCELED);
        }
    }

    @Test
    void aTaskIsReadyWhenAllBeforeItAreAcknowledgedAtTheSameMoment() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long one = put(member());
            long two = put(member());
            long three = put(member());
            long last = put(member().after(one, two, three));
            List<Callable<Integer>> acks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Settle ack = Settle.ack(take());
                acks.add(() -> storage.settle(List.of(ack)).size());
            }

            together(acks);

            assertThat(state(last)).as("round %d", round).isEqualTo(TaskState.READY);
            storage.delete(last);
        }
    }

    @Test
    void aTaskThatWaitsIsReadyWhenItsGroupIsStartedMeanwhile() throws Exception {
        for (int round = 0; round < rounds; round++) {
            long own = storage.createGroup(GroupSpec.named("round " + round)).id();
            long first = put(NewTask.to(Q).group(own));
            long second = put(NewTask.to(Q).group(own).afterEnd(first));

            together(List.<Callable<Object>>of(() -> storage.startGroup(own), () -> storage.delete(first)));

            assertThat(state(second)).as("round %d", round).isEqualTo(TaskState.READY);
            storage.delete(second);
        }
    }
}
