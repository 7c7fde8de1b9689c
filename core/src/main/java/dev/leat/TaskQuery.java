package dev.leat;

import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks to list, in the order of their ids. Immutable; each method gives a changed copy.
 *
 * <p>Pages are read by handing the last id of a page to {@link #after}.
 */
public final class TaskQuery {
    public static final int MAX_LIMIT = 10_000;

    private final @Nullable String queue;
    private final Set<TaskState> states;
    private final @Nullable String type;
    private final @Nullable String tenant;
    private final @Nullable String key;
    private final @Nullable String address;
    private final @Nullable String subscriber;
    private final long group;
    private final long after;
    private final int limit;

    private TaskQuery(
            @Nullable String queue,
            Set<TaskState> states,
            @Nullable String type,
            @Nullable String tenant,
            @Nullable String key,
            @Nullable String address,
            @Nullable String subscriber,
            long group,
            long after,
            int limit) {
        this.queue = queue;
        this.states = states;
        this.type = type;
        this.tenant = tenant;
        this.key = key;
        this.address = address;
        this.subscriber = subscriber;
        this.group = group;
        this.after = after;
        this.limit = limit;
    }

    /** Live tasks of all queues, at most 100. */
    public static TaskQuery live() {
        return new TaskQuery(null, TaskState.live(), null, null, null, null, null, 0, 0, 100);
    }

    /** Live tasks of one queue, at most 100. */
    public static TaskQuery of(String queue) {
        return live().queue(queue);
    }

    public TaskQuery queue(String queue) {
        return new TaskQuery(
                Checks.queueName(queue), states, type, tenant, key, address, subscriber, group, after, limit);
    }

    public TaskQuery states(Set<TaskState> states) {
        Set<TaskState> copy = states.isEmpty() ? EnumSet.noneOf(TaskState.class) : EnumSet.copyOf(states);
        return new TaskQuery(queue, copy, type, tenant, key, address, subscriber, group, after, limit);
    }

    public TaskQuery state(TaskState state) {
        return states(EnumSet.of(state));
    }

    public TaskQuery type(String type) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, after, limit);
    }

    public TaskQuery tenant(String tenant) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, after, limit);
    }

    public TaskQuery key(String key) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, after, limit);
    }

    public TaskQuery address(String address) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, after, limit);
    }

    /** Only copies of publications for this subscription. */
    public TaskQuery subscriber(String subscriber) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, after, limit);
    }

    public TaskQuery group(long group) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, after, limit);
    }

    /** Only tasks with a larger id than this. */
    public TaskQuery after(long id) {
        return new TaskQuery(queue, states, type, tenant, key, address, subscriber, group, id, limit);
    }

    public TaskQuery limit(int limit) {
        Checks.atLeast("limit", 1, limit);
        return new TaskQuery(
                queue, states, type, tenant, key, address, subscriber, group, after, Math.min(limit, MAX_LIMIT));
    }

    public Optional<String> queue() {
        return Optional.ofNullable(queue);
    }

    public Set<TaskState> states() {
        return states;
    }

    public OptionalLong group() {
        return group == 0 ? OptionalLong.empty() : OptionalLong.of(group);
    }

    public long after() {
        return after;
    }

    public int limit() {
        return limit;
    }

    public Optional<String> type() {
        return Optional.ofNullable(type);
    }

    public Optional<String> tenant() {
        return Optional.ofNullable(tenant);
    }

    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    public Optional<String> address() {
        return Optional.ofNullable(address);
    }

    public Optional<String> subscriber() {
        return Optional.ofNullable(subscriber);
    }

    /** Whether a task is one of those asked for, apart from the limit. */
    public boolean matches(Task task) {
        return task.id() > after
                && states.contains(task.state())
                && (queue == null || queue.equals(task.queue()))
                && (type == null || type.equals(task.type().orElse(null)))
                && (tenant == null || tenant.equals(task.tenant().orElse(null)))
                && (key == null || key.equals(task.key().orElse(null)))
                && (address == null || address.equals(task.address().orElse(null)))
                && (subscriber == null || subscriber.equals(task.subscriber().orElse(null)))
                && (group == 0 || group == task.group().orElse(0));
    }
}
