package dev.leat.storage;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.error.UnsupportedByStorageException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
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
 * Keeps queues, tasks, leases, sessions and groups, and changes them by the rules of {@code docs/state-machine.md}.
 *
 * <p>Every call is short, atomic and safe from any thread; none waits for tasks. After a change that frees a task, a
 * place or a key, the storage sends {@link Notice.Ready} through its {@link #signal()}; after one that moves the next
 * timed change forward, {@link Notice.TimerMoved}; after one that ends a task somebody may wait for, {@link Notice.TaskNews}. Changes that
 * no call answers for, such as those of a truncate, a canceled group, a dead run or a schedule, are told by the next {@link #sweep}. The
 * storage's own clock decides all times.
 *
 * <p>Calls on an unknown queue throw {@link dev.leat.error.QueueNotFoundException}, on an unknown task
 * {@link dev.leat.error.TaskNotFoundException}, on an unknown group {@link dev.leat.error.GroupNotFoundException}; trouble with the
 * engine is a {@link dev.leat.error.StorageException}.
 */
public interface Storage extends AutoCloseable {
    /** For how long after {@link #standings} a storage tells what becomes of a task. */
    Duration WATCHED_FOR = Duration.ofSeconds(15);

    // What it is

    /** The engine's name, for messages. */
    String name();

    Set<Capability> capabilities();

    /** The time on the clock that decides. */
    Instant now();

    Signal signal();

    Lock lock();

    /** What is unhealthy about the engine, by a few cheap looks; empty when nothing is, or nothing can be told. */
    default List<Finding> examine() {
        return List.of();
    }

    /** The transaction that {@code connection} is in, for puts to join. */
    default CallerTransaction with(Connection connection) {
        throw new UnsupportedByStorageException(name(), "puts inside a caller's transaction");
    }

    /** A transaction for a handler to work in; it costs nothing before its first use. */
    default HandlerTransaction begin() {
        throw new UnsupportedByStorageException(name(), "handlers in a transaction");
    }

    // Queues

    /** Makes a queue, or throws {@link dev.leat.error.QueueExistsException}. */
    QueueInfo createQueue(String queue, QueueOptions options);

    /** Makes the queue if it is missing, and sets its options unless {@link QueueInfo.SetBy#OPERATOR} has set them. */
    QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy);

    Optional<QueueInfo> queue(String queue);

    /** All queues by name. */
    List<QueueInfo> queues();

    /** Stops takes from getting anything; time goes on for the tasks. */
    void pause(String queue);

    void resume(String queue);

    /** Removes the queue and its tasks; refuses with taken tasks or waiting consumers. */
    void drop(String queue);

    /** Deletes every live task, taken ones too; answers how many. */
    long truncate(String queue);

    /** Takes every lease of the queue away, uncharged; answers how many. */
    long releaseAll(String queue);

    // Tasks

    /**
     * Puts all or none. Over a queue's capacity it throws {@link dev.leat.error.QueueFullException}, into a closed group
     * {@link dev.leat.error.GroupClosedException}. A task that is after one that has ended badly is put, and canceled at once.
     */
    List<PutResult> put(List<NewTask> tasks);

    /** Hands out what there is now, at most one task per key. */
    List<TakenTask> take(TakeRequest request);

    /** Settles each by itself; the results are in the order of the settles. */
    List<SettleResult> settle(List<Settle> settles);

    List<Touch.Result> touch(List<Touch> touches);

    /** The task, live or finished and kept. */
    Optional<Task> peek(long taskId);

    /** Tasks in the order of their ids. */
    List<Task> list(TaskQuery query);

    /** The unsuccessful attempts of a task, oldest first. */
    List<Attempt> attempts(long taskId);

    /** How many buried tasks a query describes, whatever its states and its limit; more than {@code most} are not counted. */
    int countBuried(TaskQuery query, int most);

    /**
     * Frees the next buried tasks that a query describes, whatever its states, by id, and no more than its limit in one step; those whose
     * address is taken stay.
     */
    Redriven redrive(TaskQuery query);

    /** Frees up to {@code count} buried tasks by (priority, id); those whose address is taken stay. */
    List<TaskEvent> kick(String queue, int count);

    /**
     * Frees one buried task, or throws {@link dev.leat.error.AddressInUseException}; any other live task stays as it is. This
     * and the next three answer {@link TaskEvent.Kind#UNCHANGED} when there was nothing to change.
     */
    TaskEvent kick(long taskId);

    /** Ends a live task; a holder loses its lease. A finished task stays as it is. */
    TaskEvent delete(long taskId);

    /** Asks a running task to stop and takes its lease away after 10 seconds; any other live task ends at once. */
    TaskEvent cancel(long taskId, String reason);

    /** Puts a live task aside; a holder loses its lease. */
    TaskEvent bury(long taskId, String message);

    /** The live, unburied task that has the address. */
    OptionalLong findAddress(String queue, String address);

    /**
     * How a task ended; empty while it lives. Throws {@link dev.leat.error.OutcomeForgottenException} when nobody knows any
     * more.
     */
    Optional<Outcome> outcome(long taskId);

    /**
     * How each of the tasks stands, for those who wait for them. News of those that live are told by {@link Notice.TaskNews}, as far as
     * the storage hears of them, for {@link #WATCHED_FOR}: who waits longer asks again.
     */
    Map<Long, TaskStatus> standings(Set<Long> taskIds);

    /** The live, unburied tasks that have these addresses; one that nobody has is not in the answer. */
    default Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        Map<String, Long> found = new HashMap<>();
        addresses.forEach(address -> findAddress(queue, address).ifPresent(id -> found.put(address, id)));
        return found;
    }

    /**
     * The holder of a lease has a part of the result ready, and all parts before it; those who wait may begin with it. A number that is
     * not higher than the last changes nothing. Known until the lease ends. Answers whether the lease is held.
     */
    boolean chunk(Lease lease, int number);

    /** Tasks that do the same as a given one, by id. */
    List<Task> findEquivalent(Equivalence equivalence);

    /** Counts per state for each queue, by name. */
    List<QueueStats> stats();

    QueueStats stats(String queue);

    /** Counts per state for each tenant and business group that has tasks in the queue, in {@link TenantStats#ORDER}. */
    List<TenantStats> tenantStats(String queue);

    // Sessions

    /** Opens a session and answers its id. */
    String openSession(SessionSpec spec);

    /**
     * Says that the session lives, and how many takes wait for each queue on its behalf. Ends a disconnect's grace.
     */
    HeartbeatReply heartbeat(String session, Map<String, Integer> waiting);

    /** What the session holds, for whoever lost the answer of a take; empty for one that has ended. */
    List<Lease> leases(String session);

    /** The session's last connection is gone: it ends after its grace unless it is heard of again. */
    void disconnect(String session);

    /** Ends the session and its leases now; answers what it held. */
    List<TaskEvent> closeSession(String session);

    // Groups

    GroupInfo createGroup(GroupSpec spec);

    /**
     * Makes a group, puts the tasks into it and starts it, or does nothing. The tasks name no group; those they are after come before them in
     * the list.
     */
    GroupPut putGroup(GroupSpec spec, List<NewTask> tasks);

    Optional<GroupInfo> group(long groupId);

    /** The group of that name that has not ended. */
    Optional<GroupInfo> group(String name);

    /** Changes the end and abort tasks of a group that has not ended. */
    GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort);

    /** Lets the group's tasks run; once nothing is left, it ends. Started already: nothing changes. */
    GroupInfo startGroup(long groupId);

    /** Drops what does not run yet, lets the rest end, then puts the abort task. Canceled already: nothing changes. */
    GroupInfo cancelGroup(long groupId, String reason);

    // Subscriptions: the ack of a publication puts a copy for each that wants it, or does not happen.

    /** Makes the subscription, or changes all of it but the time at which it was made. */
    Subscription putSubscription(Subscription subscription);

    Optional<Subscription> subscription(String id);

    /** By their ids, beginning after one. */
    List<Subscription> subscriptions(SubscriptionQuery query);

    /** Lets it get what is published, and changes nothing else of it; empty if there is none. */
    Optional<Subscription> enableSubscription(String id);

    /**
     * Lets it get nothing any more, and changes nothing else of it; empty if there is none.
     *
     * @param sentTo if it is said, only one whose webhook has this URL is disabled
     */
    Optional<Subscription> disableSubscription(String id, String reason, Optional<String> sentTo);

    /** Answers whether there was one. Copies that are there already stay. */
    boolean dropSubscription(String id);

    // Schedules: the put of each run, and the move to the next, are one step that only one of a fleet does.

    /** Makes the schedule, or changes it as {@link ScheduleInfo#again} says. */
    ScheduleInfo putSchedule(Schedule schedule, QueueInfo.SetBy setBy);

    Optional<ScheduleInfo> schedule(String name);

    /** By their names, beginning after one. */
    List<ScheduleInfo> schedules(ScheduleQuery query);

    /** This and the next two throw {@link dev.leat.error.ScheduleNotFoundException} for an unknown one. */
    ScheduleInfo pauseSchedule(String name);

    ScheduleInfo resumeSchedule(String name);

    /** Puts its task once more, now; with {@link Schedule.Overlap#SKIP} only if the last one has ended. */
    PutResult triggerSchedule(String name);

    /** Answers whether there was one. What it has put stays. */
    boolean dropSchedule(String name);

    // Time

    /** Does what time demands. Anybody may call it at any moment. */
    Sweep.Result sweep(Sweep sweep);

    /** This storage as {@code type}, or the one that it decorates; empty when neither is of that type. */
    default <T> Optional<T> unwrap(Class<T> type) {
        return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
    }

    @Override
    void close();
}
