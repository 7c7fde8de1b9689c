package dev.leat.storagetests;

import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Opens a storage with one queue and one session for each test, and has short methods for the common steps. */
public abstract class ContractTest {
    /** The queue that every test finds, with standard options. */
    protected static final String Q = "q";

    protected StorageFixture fixture;
    protected Storage storage;
    /** A session that {@link #take} uses and {@link #advance} keeps alive. */
    protected String session;

    protected abstract StorageFixture newFixture();

    @BeforeEach
    void open() {
        fixture = newFixture();
        storage = fixture.storage();
        storage.queues().create(Q, QueueOptions.standard());
        session = storage.sessions().open(SessionSpec.named("test"));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    protected static NewTask.Builder task() {
        return NewTask.to(Q);
    }

    protected static NewTask.Builder task(String payload) {
        return NewTask.to(Q).payload(payload);
    }

    protected PutResult put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0);
    }

    /** Puts a plain task and answers its id. */
    protected long put(String payload) {
        return put(task(payload)).id();
    }

    /** Takes one task from {@link #Q} in the test's session; fails when there is none. */
    protected TakenTask take() {
        List<TakenTask> taken = take(1);
        if (taken.isEmpty()) {
            throw new AssertionError("expected a task in queue '" + Q + "', but take returned nothing");
        }
        return taken.get(0);
    }

    /** Takes up to {@code count} tasks from {@link #Q} in the test's session. */
    protected List<TakenTask> take(int count) {
        return take(TakeRequest.from(Q).count(count));
    }

    /** Takes in the test's session. */
    protected List<TakenTask> take(TakeRequest request) {
        return storage.take(request.session(session));
    }

    protected List<Long> takeIds(int count) {
        return take(count).stream().map(TakenTask::id).toList();
    }

    protected SettleResult settle(Settle settle) {
        return storage.settle(List.of(settle)).get(0);
    }

    protected SettleResult ack(Lease lease) {
        return settle(Settle.ack(lease));
    }

    protected Task peek(long id) {
        return storage.peek(id).orElseThrow(() -> new AssertionError("task " + id + " not found"));
    }

    protected TaskState state(long id) {
        return peek(id).state();
    }

    protected Instant now() {
        return storage.now();
    }

    /** Moves the clock, keeps the test's session alive, and lets the storage do what time demands. */
    protected List<TaskEvent> advance(Duration by) {
        fixture.advance(by);
        storage.sessions().heartbeat(session, Map.of());
        return sweep();
    }

    protected List<TaskEvent> sweep() {
        return storage.sweep(Sweep.everything()).events();
    }

    protected static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    protected static Duration minutes(long minutes) {
        return Duration.ofMinutes(minutes);
    }
}
