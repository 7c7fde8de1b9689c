package dev.leat.storage;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.error.UnsupportedByStorageException;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Keeps tasks and their leases, and changes them by the rules of {@code docs/state-machine.md}. Its parts keep queues, sessions, groups,
 * subscriptions and schedules. {@link dev.leat.storage} says how stable this interface is.
 *
 * <p>Every call is short, atomic and safe from any thread; no call waits for tasks. The storage's own clock decides all times.
 *
 * <p>The storage sends notices through its {@link #signal()}: {@link Notice.Ready} after a change that frees a task, a key or capacity,
 * {@link Notice.TimerMoved} after a change that moves the next timed change forward, and {@link Notice.TaskNews} after the end of an awaited
 * task. The next {@link #sweep} reports the changes that no call answers for, such as those of a truncate, a canceled group, a dead run or a
 * schedule.
 *
 * <p>A call on an unknown queue throws {@link dev.leat.error.QueueNotFoundException}, on an unknown task
 * {@link dev.leat.error.TaskNotFoundException}. A failure of the engine throws {@link dev.leat.error.StorageException}.
 */
public interface Storage extends AutoCloseable {
    /** For how long after {@link #statuses} a storage sends the news of a task. */
    Duration WATCHED_FOR = Duration.ofSeconds(15);

    // Parts

    QueueStorage queues();

    SessionStorage sessions();

    GroupStorage groups();

    SubscriptionStorage subscriptions();

    ScheduleStorage schedules();

    // Properties

    /** The engine's name, for messages. */
    String name();

    Set<Capability> capabilities();

    /** The time on the storage's clock. */
    Instant now();

    Signal signal();

    Lock lock();

    /** Problems of the engine, found by a few cheap queries; empty if the storage found none or cannot look. */
    default List<Finding> examine() {
        return List.of();
    }

    // Transactions

    /** Puts that join the transaction of {@code connection}. */
    default CallerTransaction with(Connection connection) {
        throw new UnsupportedByStorageException(name(), "puts inside a caller's transaction");
    }

    /** A transaction for a handler. It takes no connection before its first use. */
    default HandlerTransaction begin() {
        throw new UnsupportedByStorageException(name(), "handlers in a transaction");
    }

    // Tasks

    /**
     * Puts all tasks or none. A put over the queue's capacity throws {@link dev.leat.error.QueueFullException}, a put into a closed group
     * {@link dev.leat.error.GroupClosedException}. A put after a task that has failed succeeds, and the new task is canceled at once.
     */
    List<PutResult> put(List<NewTask> tasks);

    /** Takes the tasks that are READY now, at most one task per key. */
    List<TakenTask> take(TakeRequest request);

    /** Settles each delivery by itself; the results are in the order of the settles. */
    List<SettleResult> settle(List<Settle> settles);

    List<Touch.Result> touch(List<Touch> touches);

    /**
     * Records that a part of the result, and all parts before it, can be read. A number that is not higher than the last changes nothing. The
     * storage keeps the number until the lease ends. Answers whether the lease is live.
     */
    boolean chunk(Lease lease, int number);

    /** Does what is due: promotes, puts scheduled tasks, expires, ends leases, purges. Any thread may call it at any moment. */
    Sweep.Result sweep(Sweep sweep);

    // Lookups

    /** The task, live or finished and kept. */
    Optional<Task> peek(long taskId);

    /** Tasks in the order of their ids. */
    List<Task> list(TaskQuery query);

    /** The unsuccessful attempts of a task, oldest first. */
    List<Attempt> attempts(long taskId);

    /** Counts the buried tasks that a query describes, up to {@code most}. Ignores the query's states and limit. */
    int countBuried(TaskQuery query, int most);

    /** The live, unburied task that has the address. */
    OptionalLong findAddress(String queue, String address);

    /** The live, unburied tasks that have these addresses. Leaves out addresses that no task has. */
    default Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        Map<String, Long> found = new HashMap<>();
        addresses.forEach(address -> findAddress(queue, address).ifPresent(id -> found.put(address, id)));
        return found;
    }

    /** Tasks equivalent to a given task, by id. */
    List<Task> findEquivalent(Equivalence equivalence);

    /**
     * How a task ended; empty while it lives. Throws {@link dev.leat.error.OutcomeForgottenException} if the storage no longer knows.
     */
    Optional<Outcome> outcome(long taskId);

    /**
     * The status of each task, for callers that wait for its end. For {@link #WATCHED_FOR}, the storage sends {@link Notice.TaskNews} of the
     * live tasks among them, as far as it hears of changes. A caller that waits longer asks again.
     */
    Map<Long, TaskStatus> statuses(Set<Long> taskIds);

    // Operators' calls

    /**
     * Kicks the next buried tasks that a query describes, by id, up to the query's limit. Ignores the query's states. Skips tasks whose address
     * another live task has.
     */
    Redriven redrive(TaskQuery query);

    /** Kicks up to {@code count} buried tasks by (priority, id). Skips tasks whose address another live task has. */
    List<TaskEvent> kick(String queue, int count);

    /**
     * Kicks a buried task, or throws {@link dev.leat.error.AddressInUseException}. This call and the next three answer
     * {@link TaskEvent.Kind#UNCHANGED} if the task's state does not allow the change.
     */
    TaskEvent kick(long taskId);

    /** Ends a live task and revokes its lease. */
    TaskEvent delete(long taskId);

    /** Asks the holder of a TAKEN task to stop, and revokes the lease after 10 seconds. Ends any other live task at once. */
    TaskEvent cancel(long taskId, String reason);

    /** Buries a live task and revokes its lease. */
    TaskEvent bury(long taskId, String message);

    /** This storage as {@code type}, or the one that it decorates; empty when neither is of that type. */
    default <T> Optional<T> unwrap(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    @Override
    void close();
}
