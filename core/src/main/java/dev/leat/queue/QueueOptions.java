package dev.leat.queue;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a queue. Immutable; {@link #toBuilder()} changes a copy.
 *
 * <p>The presets have the behaviour of other queues, for users who come from one of them.
 */
public final class QueueOptions {
    private static final QueueOptions DEFAULT = new Builder().build();

    private final int priority;
    private final @Nullable Duration ttl;
    private final @Nullable Duration ttr;
    private final TtrDefault ttrDefault;
    private final int capacity;
    private final Lifetime lifetime;
    private final RetryPolicy retry;
    private final Exhaustion exhaustion;
    private final Retention retention;
    private final PlaceBy placeBy;
    private final Set<TakeOrder> takeOrders;
    private final TypeFilter typeFilter;
    private final Tenants tenants;
    private final int tenantLimit;
    private final @Nullable Integer number;

    /** Whether tasks outlive the process of the storage. */
    public enum Lifetime {
        DURABLE,
        /** Tasks are lost when the storage restarts, and are cheaper. */
        TEMPORARY
    }

    /** The time limit of a task when neither the task nor its queue names one. */
    public enum TtrDefault {
        UNLIMITED,
        /** The time to live of the task. */
        TTL
    }

    /** The order of tasks of the same priority. */
    public enum PlaceBy {
        /** The order of puts. */
        ID,
        /** The due time, then the order of puts. */
        DUE_TIME
    }

    /** Whether takes can ask for some types only. */
    public enum TypeFilter {
        OFF,
        ON
    }

    /** How the tenants of tasks affect takes. */
    public enum Tenants {
        /** Takes ignore tenants. */
        MIXED,
        /**
         * Within a priority, the tenant with the fewest running tasks comes first, and tenants with equally many take turns. Tasks without a
         * tenant count as one more tenant.
         */
        IN_TURN
    }

    private QueueOptions(Builder b) {
        priority = b.priority;
        ttl = b.ttl;
        ttr = b.ttr;
        ttrDefault = b.ttrDefault;
        capacity = b.capacity;
        lifetime = b.lifetime;
        retry = b.retry;
        exhaustion = b.exhaustion;
        retention = b.retention;
        placeBy = b.placeBy;
        takeOrders = Set.copyOf(b.takeOrders);
        typeFilter = b.typeFilter;
        tenants = b.tenants;
        tenantLimit = b.tenantLimit;
        number = b.number;
    }

    /** The defaults. */
    public static QueueOptions standard() {
        return DEFAULT;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** As in nsj-queue-lib: 100 attempts, 5 minutes × attempt after the due time, then the dead handler; payloads are kept. */
    public static QueueOptions nsj() {
        return builder()
                .placeBy(PlaceBy.DUE_TIME)
                .retry(new RetryPolicy(
                        100,
                        100,
                        RetryPolicy.Charge.TOGETHER,
                        Backoff.linear(Duration.ofMinutes(5)),
                        RetryPolicy.Anchor.DUE))
                .exhaustion(Exhaustion.DEAD_HANDLER)
                .retention(Retention.all(Duration.ofDays(60)).donePayload(Retention.DonePayload.KEEP))
                .build();
    }

    /** As in the Go project starter: a time limit of 60 seconds, unlimited attempts. */
    public static QueueOptions visibilityTimeout() {
        return builder()
                .ttr(Duration.ofSeconds(60))
                .retry(RetryPolicy.standard().maxFailures(RetryPolicy.UNLIMITED).maxLosses(RetryPolicy.UNLIMITED))
                .build();
    }

    /** As in rsqueue: one failure is final, losses are unlimited, takes choose types. */
    public static QueueOptions rsqueue() {
        return builder()
                .retry(RetryPolicy.standard().maxFailures(1).maxLosses(RetryPolicy.UNLIMITED))
                .exhaustion(Exhaustion.FAIL)
                .typeFilter(TypeFilter.ON)
                .build();
    }

    /** As a tube of tarantool/queue: {@code ttl} is also the time limit of a delivery, unlimited attempts, no history. */
    public static QueueOptions tube(Duration ttl) {
        return builder()
                .ttl(ttl)
                .ttrDefault(TtrDefault.TTL)
                .retry(RetryPolicy.standard()
                        .maxFailures(RetryPolicy.UNLIMITED)
                        .maxLosses(RetryPolicy.UNLIMITED)
                        .backoff(Backoff.none()))
                .retention(Retention.none())
                .build();
    }

    /** As in opsqueue: 10 failures or losses fail the group; retries at once, with a time limit of 10 minutes. */
    public static QueueOptions opsqueue() {
        return builder()
                .ttr(Duration.ofMinutes(10))
                .retry(new RetryPolicy(10, 10, RetryPolicy.Charge.TOGETHER, Backoff.none(), RetryPolicy.Anchor.NOW))
                .exhaustion(Exhaustion.FAIL_GROUP)
                .takeOrder(TakeOrder.newest())
                .takeOrder(TakeOrder.random())
                .build();
    }

    /** The priority of tasks without one; default 0. */
    public int priority() {
        return priority;
    }

    /** The time to live of tasks without one; default unlimited. */
    public Optional<Duration> ttl() {
        return Optional.ofNullable(ttl);
    }

    /** The time limit of tasks without one; empty for {@link #ttrDefault()}. */
    public Optional<Duration> ttr() {
        return Optional.ofNullable(ttr);
    }

    public TtrDefault ttrDefault() {
        return ttrDefault;
    }

    /** The largest number of live tasks; 0, the default, is unlimited. */
    public int capacity() {
        return capacity;
    }

    public Lifetime lifetime() {
        return lifetime;
    }

    public RetryPolicy retry() {
        return retry;
    }

    /** Default: {@link Exhaustion#BURY}. */
    public Exhaustion exhaustion() {
        return exhaustion;
    }

    public Retention retention() {
        return retention;
    }

    public PlaceBy placeBy() {
        return placeBy;
    }

    /** The orders that a take can ask for; {@link TakeOrder#oldest()} is always one of them. */
    public Set<TakeOrder> takeOrders() {
        return takeOrders;
    }

    public TypeFilter typeFilter() {
        return typeFilter;
    }

    /** Default: {@link Tenants#MIXED}; {@link Tenants#IN_TURN} where there is a limit. */
    public Tenants tenants() {
        return tenantLimit > 0 ? Tenants.IN_TURN : tenants;
    }

    /** The largest number of taken tasks of one tenant; 0, the default, is unlimited. Tasks without a tenant have no limit. */
    public int tenantLimit() {
        return tenantLimit;
    }

    /** A number of the queue, for systems that know queues by number. */
    public OptionalInt number() {
        return number == null ? OptionalInt.empty() : OptionalInt.of(number);
    }

    public Builder toBuilder() {
        Builder b = new Builder();
        b.priority = priority;
        b.ttl = ttl;
        b.ttr = ttr;
        b.ttrDefault = ttrDefault;
        b.capacity = capacity;
        b.lifetime = lifetime;
        b.retry = retry;
        b.exhaustion = exhaustion;
        b.retention = retention;
        b.placeBy = placeBy;
        b.takeOrders.addAll(takeOrders);
        b.typeFilter = typeFilter;
        b.tenants = tenants;
        b.tenantLimit = tenantLimit;
        b.number = number;
        return b;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QueueOptions that
                && priority == that.priority
                && Objects.equals(ttl, that.ttl)
                && Objects.equals(ttr, that.ttr)
                && ttrDefault == that.ttrDefault
                && capacity == that.capacity
                && lifetime == that.lifetime
                && retry.equals(that.retry)
                && exhaustion == that.exhaustion
                && retention.equals(that.retention)
                && placeBy == that.placeBy
                && takeOrders.equals(that.takeOrders)
                && typeFilter == that.typeFilter
                && tenants() == that.tenants()
                && tenantLimit == that.tenantLimit
                && Objects.equals(number, that.number);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                priority, ttl, ttr, capacity, lifetime, retry, exhaustion, placeBy, typeFilter, tenantLimit, number);
    }

    @Override
    public String toString() {
        return "QueueOptions[priority=" + priority + ", ttl=" + ttl + ", ttr=" + ttr + ", capacity=" + capacity + ", "
                + lifetime + ", " + retry + ", exhaustion=" + exhaustion + ", " + retention + ", placeBy=" + placeBy
                + ", takeOrders=" + takeOrders + ", typeFilter=" + typeFilter + ", tenants=" + tenants()
                + ", tenantLimit=" + tenantLimit + ", number=" + number + "]";
    }

    /** Builds options; unset options keep their defaults. */
    public static final class Builder {
        private int priority;
        private @Nullable Duration ttl;
        private @Nullable Duration ttr;
        private TtrDefault ttrDefault = TtrDefault.UNLIMITED;
        private int capacity;
        private Lifetime lifetime = Lifetime.DURABLE;
        private RetryPolicy retry = RetryPolicy.standard();
        private Exhaustion exhaustion = Exhaustion.BURY;
        private Retention retention = Retention.standard();
        private PlaceBy placeBy = PlaceBy.ID;
        private final Set<TakeOrder> takeOrders = new LinkedHashSet<>(Set.of(TakeOrder.oldest()));
        private TypeFilter typeFilter = TypeFilter.OFF;
        private Tenants tenants = Tenants.MIXED;
        private int tenantLimit;
        private @Nullable Integer number;

        private Builder() {}

        public Builder priority(int priority) {
            this.priority = priority;
            return this;
        }

        public Builder ttl(Duration ttl) {
            this.ttl = Checks.positive("ttl", ttl);
            return this;
        }

        public Builder ttr(Duration ttr) {
            this.ttr = Checks.positive("ttr", ttr);
            return this;
        }

        public Builder ttrDefault(TtrDefault ttrDefault) {
            this.ttrDefault = ttrDefault;
            return this;
        }

        public Builder capacity(int capacity) {
            this.capacity = Checks.atLeast("capacity", 0, capacity);
            return this;
        }

        public Builder lifetime(Lifetime lifetime) {
            this.lifetime = lifetime;
            return this;
        }

        public Builder retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        public Builder exhaustion(Exhaustion exhaustion) {
            this.exhaustion = exhaustion;
            return this;
        }

        public Builder retention(Retention retention) {
            this.retention = retention;
            return this;
        }

        public Builder placeBy(PlaceBy placeBy) {
            this.placeBy = placeBy;
            return this;
        }

        /** Declares another order besides oldest first. */
        public Builder takeOrder(TakeOrder order) {
            this.takeOrders.add(order);
            return this;
        }

        public Builder typeFilter(TypeFilter typeFilter) {
            this.typeFilter = typeFilter;
            return this;
        }

        /** How tenants share the queue; not for queues with takes at random or over distinct tags. */
        public Builder tenants(Tenants tenants) {
            this.tenants = tenants;
            return this;
        }

        /** The largest number of taken tasks of one tenant; 0 is unlimited. With a limit, tenants are taken in turn. */
        public Builder tenantLimit(int tasks) {
            this.tenantLimit = Checks.atLeast("tenantLimit", 0, tasks);
            return this;
        }

        public Builder number(int number) {
            this.number = number;
            return this;
        }

        public QueueOptions build() {
            QueueOptions options = new QueueOptions(this);
            if (options.tenants() == Tenants.IN_TURN) {
                takeOrders.forEach(Builder::checkLeavesTurns);
            }
            return options;
        }

        private static void checkLeavesTurns(TakeOrder order) {
            if (order == TakeOrder.Simple.RANDOM || order instanceof TakeOrder.PreferDistinct) {
                throw new InvalidRequestException(
                        "tenants",
                        "cannot be taken in turn where takes are allowed as " + order + "; leave out one of the two");
            }
        }
    }
}
