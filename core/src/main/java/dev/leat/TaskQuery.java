package dev.leat;

import dev.leat.internal.Checks;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Selects tasks to list, in the order of their ids. Immutable; each method returns a changed copy.
 *
 * <p>To read the next page, pass the last id of a page to {@link #after}.
 */
public final class TaskQuery {
    public static final int MAX_LIMIT = 10_000;

    // with(…) changes them in a copy before it is published
    private @Nullable String queue;
    private Set<TaskState> states = TaskState.live();
    private @Nullable Set<String> types;
    private @Nullable String tenant;
    private @Nullable String key;
    private @Nullable String address;
    private @Nullable String subscriber;
    private @Nullable String message;
    private long group;
    private long after;
    private int limit = 100;

    private TaskQuery() {}

    private TaskQuery(TaskQuery other) {
        queue = other.queue;
        states = other.states;
        types = other.types;
        tenant = other.tenant;
        key = other.key;
        address = other.address;
        subscriber = other.subscriber;
        message = other.message;
        group = other.group;
        after = other.after;
        limit = other.limit;
    }

    /** Live tasks of all queues, at most 100. */
    public static TaskQuery live() {
        return new TaskQuery();
    }

    /** Live tasks of one queue, at most 100. */
    public static TaskQuery of(String queue) {
        return live().queue(queue);
    }

    private TaskQuery with(Consumer<TaskQuery> change) {
        TaskQuery copy = new TaskQuery(this);
        change.accept(copy);
        return copy;
    }

    public TaskQuery queue(String queue) {
        Checks.queueName(queue);
        return with(copy -> copy.queue = queue);
    }

    public TaskQuery states(Set<TaskState> states) {
        Set<TaskState> own = states.isEmpty() ? EnumSet.noneOf(TaskState.class) : EnumSet.copyOf(states);
        return with(copy -> copy.states = own);
    }

    public TaskQuery state(TaskState state) {
        return states(EnumSet.of(state));
    }

    public TaskQuery type(String type) {
        return types(Set.of(type));
    }

    /** Only tasks of these types, waiting and running ones alike; the empty set matches nothing. */
    public TaskQuery types(Set<String> types) {
        Set<String> own = Set.copyOf(types);
        return with(copy -> copy.types = own);
    }

    public TaskQuery tenant(String tenant) {
        return with(copy -> copy.tenant = tenant);
    }

    public TaskQuery key(String key) {
        return with(copy -> copy.key = key);
    }

    public TaskQuery address(String address) {
        return with(copy -> copy.address = address);
    }

    /** Only copies of publications for this subscription. */
    public TaskQuery subscriber(String subscriber) {
        return with(copy -> copy.subscriber = subscriber);
    }

    /** Only tasks whose message contains this text, in this case; an empty text is in every message. */
    public TaskQuery message(String part) {
        return with(copy -> copy.message = part.isEmpty() ? null : part);
    }

    public TaskQuery group(long group) {
        return with(copy -> copy.group = group);
    }

    /** Only tasks with a larger id than this. */
    public TaskQuery after(long id) {
        return with(copy -> copy.after = id);
    }

    public TaskQuery limit(int limit) {
        Checks.atLeast("limit", 1, limit);
        return with(copy -> copy.limit = Math.min(limit, MAX_LIMIT));
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

    /** The types to list; empty for all tasks, an empty set for none. */
    public Optional<Set<String>> types() {
        return Optional.ofNullable(types);
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

    /** The text that the message must contain. */
    public Optional<String> message() {
        return Optional.ofNullable(message);
    }

    /** Whether a task matches, apart from the limit. */
    public boolean matches(Task task) {
        return task.id() > after
                && states.contains(task.state())
                && (queue == null || queue.equals(task.queue()))
                && (types == null || task.type().filter(types::contains).isPresent())
                && (tenant == null || tenant.equals(task.tenant().orElse(null)))
                && (key == null || key.equals(task.key().orElse(null)))
                && (address == null || address.equals(task.address().orElse(null)))
                && (subscriber == null || subscriber.equals(task.subscriber().orElse(null)))
                && (message == null || task.message().orElse("").contains(message))
                && (group == 0 || group == task.group().orElse(0));
    }
}
