package dev.leat.storagetests.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.GroupInfo;
import dev.leat.GroupInfo.State;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskQuery;
import dev.leat.error.GroupClosedException;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storagetests.ContractTest;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of groups share: a queue for their closing tasks, and short words for the common steps. */
public abstract class GroupTest extends ContractTest {
    protected static final String CLOSING = "closing";
    protected static final NewTask END = NewTask.to(CLOSING).payload("end").build();
    protected static final NewTask ABORT = NewTask.to(CLOSING).payload("abort").build();

    @BeforeEach
    void makeQueueOfClosingTasks() {
        storage.queues().create(CLOSING, QueueOptions.standard());
    }

    protected static GroupSpec spec(String name) {
        return GroupSpec.named(name).end(END).abort(ABORT);
    }

    protected long create(GroupSpec spec) {
        return storage.groups().create(spec).id();
    }

    protected long create() {
        return create(spec("g"));
    }

    protected long createStarted(GroupSpec spec, int tasks) {
        long group = create(spec);
        IntStream.range(0, tasks).forEach(i -> putIn(group));
        storage.groups().start(group);
        return group;
    }

    protected long createStarted(int tasks) {
        return createStarted(spec("g"), tasks);
    }

    protected long putIn(long group) {
        return put(task().group(group)).id();
    }

    /** Creates a queue whose tasks are exhausted by their first failure. */
    protected void createStrictQueue(Exhaustion exhaustion) {
        storage.queues()
                .create(
                        "strict",
                        QueueOptions.builder()
                                .retry(RetryPolicy.standard().maxFailures(1))
                                .exhaustion(exhaustion)
                                .build());
    }

    /** Puts a task into the strict queue and fails the task; returns its id. */
    protected long failOne(long group) {
        long id = put(NewTask.to("strict").group(group)).id();
        Lease lease = take(TakeRequest.from("strict")).get(0).lease();
        settle(Settle.fail(lease, "broken"));
        return id;
    }

    /** The current group; asserts that its counts add up. */
    protected GroupInfo info(long group) {
        GroupInfo info = storage.groups().find(group).orElseThrow();
        assertThat(info.open() + info.running() + info.done() + info.failed() + info.canceled())
                .as("counts of %s", info)
                .isEqualTo(info.total());
        return info;
    }

    protected State groupState(long group) {
        return info(group).state();
    }

    /** Which closing tasks are there, by payload. */
    protected List<String> closingTasks() {
        return storage.list(TaskQuery.of(CLOSING)).stream()
                .map(task -> task.payload().text())
                .toList();
    }

    protected void assertEnded(long group, State state, String... closingTasks) {
        assertThat(groupState(group)).isEqualTo(state);
        assertThat(closingTasks()).containsExactly(closingTasks);
    }

    protected void assertCounts(long group, long open, long running, long done, long failed, long canceled) {
        GroupInfo info = info(group);
        assertThat(List.of(info.open(), info.running(), info.done(), info.failed(), info.canceled()))
                .as("open, running, done, failed and canceled")
                .containsExactly(open, running, done, failed, canceled);
    }

    protected void assertClosed(Runnable deed) {
        assertThatExceptionOfType(GroupClosedException.class).isThrownBy(deed::run);
    }
}
