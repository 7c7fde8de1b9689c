package dev.leat;

import dev.leat.internal.Checks;
import dev.leat.queue.TakeOrder;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for tasks of one queue. Immutable; each method returns a changed copy.
 *
 * <pre>{@code TakeRequest.from("emails").count(100).types(Set.of("welcome")) }</pre>
 */
public final class TakeRequest {
    private final String queue;
    private final int count;
    private final @Nullable Set<String> types;
    private final int maxPriority;
    private final TakeOrder order;
    private final @Nullable String session;
    private final @Nullable Duration ttr;
    private final boolean detached;

    private TakeRequest(
            String queue,
            int count,
            @Nullable Set<String> types,
            int maxPriority,
            TakeOrder order,
            @Nullable String session,
            @Nullable Duration ttr,
            boolean detached) {
        this.queue = queue;
        this.count = count;
        this.types = types;
        this.maxPriority = maxPriority;
        this.order = order;
        this.session = session;
        this.ttr = ttr;
        this.detached = detached;
    }

    /** One task of any type and priority, oldest first. */
    public static TakeRequest from(String queue) {
        return new TakeRequest(
                Checks.queueName(queue), 1, null, Integer.MAX_VALUE, TakeOrder.oldest(), null, null, false);
    }

    /** At most this many; at least 1. */
    public TakeRequest count(int count) {
        return new TakeRequest(
                queue, Checks.atLeast("count", 1, count), types, maxPriority, order, session, ttr, detached);
    }

    /** Only tasks of these types; the empty set matches nothing. */
    public TakeRequest types(Set<String> types) {
        return new TakeRequest(queue, count, Set.copyOf(types), maxPriority, order, session, ttr, detached);
    }

    /** Only tasks whose priority is this number or lower. */
    public TakeRequest maxPriority(int maxPriority) {
        return new TakeRequest(queue, count, types, maxPriority, order, session, ttr, detached);
    }

    public TakeRequest order(TakeOrder order) {
        return new TakeRequest(queue, count, types, maxPriority, order, session, ttr, detached);
    }

    /** The leases end with this session. Leases without a session get a time limit. */
    public TakeRequest session(String session) {
        return new TakeRequest(queue, count, types, maxPriority, order, session, ttr, detached);
    }

    /** A take without a session; only the time limit ends the leases. */
    public TakeRequest detached() {
        return new TakeRequest(queue, count, types, maxPriority, order, null, ttr, true);
    }

    /** The time limit of these leases, instead of the task's own. */
    public TakeRequest ttr(Duration ttr) {
        return new TakeRequest(queue, count, types, maxPriority, order, session, Checks.positive("ttr", ttr), detached);
    }

    public String queue() {
        return queue;
    }

    public int count() {
        return count;
    }

    /** The types to take; empty for all types, an empty set for none. */
    public Optional<Set<String>> types() {
        return Optional.ofNullable(types);
    }

    public int maxPriority() {
        return maxPriority;
    }

    public TakeOrder order() {
        return order;
    }

    public Optional<String> session() {
        return Optional.ofNullable(session);
    }

    public boolean isDetached() {
        return detached;
    }

    /** Whether two requests ask for the same tasks in the same order, so that both find tasks or neither does. */
    public boolean wantsSameTasks(TakeRequest other) {
        return queue.equals(other.queue)
                && Objects.equals(types, other.types)
                && maxPriority == other.maxPriority
                && order.equals(other.order);
    }

    /** Whether two requests differ only in their count, so that one take can serve both. */
    public boolean differsOnlyInCount(TakeRequest other) {
        return wantsSameTasks(other)
                && Objects.equals(session, other.session)
                && Objects.equals(ttr, other.ttr)
                && detached == other.detached;
    }

    public Optional<Duration> ttr() {
        return Optional.ofNullable(ttr);
    }

    @Override
    public String toString() {
        return "TakeRequest[" + count + " from " + queue + "]";
    }
}
