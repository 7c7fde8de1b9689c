package dev.leat.storagetests;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Opens a Leat on a storage that lives by real time, for what has to wait. Tests wait for conditions, never for time. */
public abstract class RealTimeTest {
    protected static final String Q = "q";
    /** A timeout that only a failing test reaches. */
    protected static final Duration LONG = Duration.ofMinutes(3);

    private final List<Leat> opened = new ArrayList<>();
    protected StorageFixture fixture;
    protected Storage storage;
    protected Leat leat;

    protected abstract StorageFixture newFixture();

    @BeforeEach
    void open() {
        fixture = newFixture();
        storage = fixture.inRealTime();
        leat = openPatientlyOn(new Faults().between(storage));
        leat.queue(Q).create(QueueOptions.standard());
    }

    /** Opens a Leat with a short heartbeat; closed after the test. The Leat must not close the storage: see {@link Faults}. */
    protected Leat openOn(Storage storage) {
        return open(Leat.builder("").storage(storage).heartbeat(Duration.ofMillis(100), Duration.ofMillis(600)));
    }

    /** Opens a Leat that does not treat one second without progress on a loaded machine as an outage. */
    protected Leat openPatientlyOn(Storage storage) {
        return open(Leat.builder("").storage(storage).heartbeat(Duration.ofMillis(100), Duration.ofSeconds(3)));
    }

    /** Opens another Leat, to be closed after the test. */
    protected Leat open(Leat.Builder builder) {
        Leat another = builder.open();
        opened.add(another);
        return another;
    }

    @AfterEach
    void close() {
        opened.forEach(Leat::close);
        storage.close();
        fixture.close();
    }

    protected long put(String payload) {
        return leat.put(Q, payload);
    }

    protected long put(NewTask.Builder task) {
        return leat.put(task.build()).id();
    }

    protected static NewTask.Builder task() {
        return NewTask.to(Q);
    }

    protected static TakeRequest one() {
        return TakeRequest.from(Q);
    }

    protected TaskState state(long id) {
        return leat.peek(id).orElseThrow().state();
    }

    protected void awaitState(long id, TaskState state) {
        await("task " + id + " to be " + state, () -> state(id) == state);
    }

    protected static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(LONG).pollInterval(Duration.ofMillis(2)).until(condition);
    }
}
