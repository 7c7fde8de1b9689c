package dev.leat;

import dev.leat.error.IdempotencyKeyReusedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import dev.leat.topic.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A task to put: its queue, payload and conditions.
 *
 * <p>Only the queue is required. Missing values come from the queue's options. Immutable.
 *
 * <pre>{@code
 * NewTask.to("emails").payload("hello").priority(-1).delay(Duration.ofMinutes(5)).key("ada").build()
 * }</pre>
 */
public final class NewTask {
    /** Marks a publication itself, in the field for the id of a copy's publication. */
    private static final long PUBLICATION = 0;
    /** The largest number of tasks that one task can wait for. */
    private static final int MAX_PREDECESSORS = 1_000;

    private final String queue;
    private final Payload payload;
    private final @Nullable Integer priority;
    private final When due;
    private final @Nullable Duration ttl;
    private final @Nullable Duration ttr;
    private final @Nullable String key;
    private final @Nullable String address;
    private final long group;
    private final List<Predecessor> after;
    private final @Nullable String type;
    private final @Nullable String tenant;
    private final @Nullable String businessGroup;
    private final @Nullable String origin;
    private final @Nullable String destination;
    private final @Nullable String externalKey;
    private final Map<String, Long> tags;
    private final Map<String, String> trace;
    private final @Nullable String idempotencyKey;
    private final @Nullable String fingerprint;
    private final long deadOf;
    private final @Nullable Long publication;
    private final @Nullable String subscriber;
    private final Set<TaskState> unlessEquivalentIn;

    private NewTask(Builder b) {
        queue = b.queue;
        payload = b.payload;
        priority = b.priority;
        due = b.due;
        ttl = b.ttl;
        ttr = b.ttr;
        key = b.key;
        address = b.address;
        group = b.group;
        after = b.after;
        type = b.type;
        tenant = b.tenant;
        businessGroup = b.businessGroup;
        origin = b.origin;
        destination = b.destination;
        externalKey = b.externalKey;
        tags = b.tags;
        trace = b.trace;
        idempotencyKey = b.idempotencyKey;
        fingerprint = b.fingerprint;
        deadOf = b.deadOf;
        publication = b.publication;
        subscriber = b.subscriber;
        unlessEquivalentIn = b.unlessEquivalentIn;
    }

    /** Starts the description of a task for {@code queue}. */
    public static Builder to(String queue) {
        return new Builder(queue);
    }

    /** A builder with all values of this task. */
    public Builder toBuilder() {
        Builder b = new Builder(queue);
        b.payload = payload;
        b.priority = priority;
        b.due = due;
        b.ttl = ttl;
        b.ttr = ttr;
        b.key = key;
        b.address = address;
        b.group = group;
        b.after = after;
        b.type = type;
        b.tenant = tenant;
        b.businessGroup = businessGroup;
        b.origin = origin;
        b.destination = destination;
        b.externalKey = externalKey;
        b.tags = tags;
        b.trace = trace;
        b.idempotencyKey = idempotencyKey;
        b.fingerprint = fingerprint;
        b.deadOf = deadOf;
        b.publication = publication;
        b.subscriber = subscriber;
        b.unlessEquivalentIn = unlessEquivalentIn;
        return b;
    }

    /** For storages: the same task without its payload, for queues that do not keep the payloads of finished tasks. */
    public NewTask withoutPayload() {
        if (payload.size() == 0) {
            return this;
        }
        Builder b = toBuilder();
        b.payload = Payload.empty();
        b.unlessEquivalentIn = Set.of(); // the task is put already
        return b.build();
    }

    /** For storages: the same task outside of any group. */
    public NewTask withoutGroup() {
        Builder b = toBuilder();
        b.group = 0;
        b.after = List.of();
        return b.build();
    }

    /** For storages: the same task in this group. */
    public NewTask inGroup(long id) {
        return toBuilder().group(id).build();
    }

    static void checkPredecessors(int count) {
        if (count > MAX_PREDECESSORS) {
            throw new InvalidRequestException(
                    "after",
                    "is limited to " + MAX_PREDECESSORS + " tasks; let the end task of a group follow on more");
        }
    }

    /** For storages: the same task with these predecessors. */
    public NewTask following(List<Predecessor> before) {
        Builder b = toBuilder();
        b.after = List.copyOf(before);
        return b.build();
    }

    /** For storages: the dead run of this task, whose id is {@code id}. */
    public NewTask deadRun(long id, int priority) {
        Builder b = toBuilder();
        b.priority = priority;
        b.due = When.now();
        b.ttl = null;
        b.address = null;
        b.group = 0;
        b.after = List.of();
        b.idempotencyKey = null;
        b.fingerprint = null;
        b.unlessEquivalentIn = Set.of();
        b.deadOf = id;
        b.publication = isPublication() ? null : publication;
        return b.build();
    }

    /**
     * For storages: the copy of this publication, whose id is {@code id}, for a subscription. The copy gets no address, group, idempotency key and
     * time to live.
     */
    public NewTask copyFor(Subscription subscription, long id, int priority) {
        Builder b = toBuilder();
        b.queue = subscription.queue();
        b.priority = priority;
        b.due = When.now();
        b.ttl = null;
        b.address = null;
        b.group = 0;
        b.after = List.of();
        b.idempotencyKey = null;
        b.fingerprint = null;
        b.deadOf = 0;
        b.unlessEquivalentIn = Set.of();
        b.publication = id;
        b.subscriber = subscription.id();
        return b.build();
    }

    /** For storages: the same task, marked as a copy of a publication; see {@link #publicationId}. */
    public NewTask copyOf(long publicationId, String subscriberId) {
        Builder b = toBuilder();
        b.publication = publicationId;
        b.subscriber = subscriberId;
        return b.build();
    }

    public String queue() {
        return queue;
    }

    public Payload payload() {
        return payload;
    }

    /** Lower numbers run first; empty for the queue's default. */
    public OptionalInt priority() {
        return priority == null ? OptionalInt.empty() : OptionalInt.of(priority);
    }

    /** The earliest time to run. */
    public When due() {
        return due;
    }

    /** How long the task may wait to be taken, counted from its due time; empty for the queue's default. */
    public Optional<Duration> ttl() {
        return Optional.ofNullable(ttl);
    }

    /** The time limit of one delivery; empty for the queue's default. */
    public Optional<Duration> ttr() {
        return Optional.ofNullable(ttr);
    }

    /** Tasks of one queue with the same key never run at the same time. */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    /** A name that at most one live task of the queue can have. */
    public Optional<String> address() {
        return Optional.ofNullable(address);
    }

    /** The group of the task. */
    public OptionalLong group() {
        return group == 0 ? OptionalLong.empty() : OptionalLong.of(group);
    }

    /** The tasks of its group that this task waits for. */
    public List<Predecessor> after() {
        return after;
    }

    /** The kind of work; a take can ask for some types only. */
    public Optional<String> type() {
        return Optional.ofNullable(type);
    }

    public Optional<String> tenant() {
        return Optional.ofNullable(tenant);
    }

    public Optional<String> businessGroup() {
        return Optional.ofNullable(businessGroup);
    }

    /** The system that put the task. */
    public Optional<String> origin() {
        return Optional.ofNullable(origin);
    }

    /** The system that the task is for. */
    public Optional<String> destination() {
        return Optional.ofNullable(destination);
    }

    /** The name that the putting system gives to the subject of the task, such as an order number. */
    public Optional<String> externalKey() {
        return Optional.ofNullable(externalKey);
    }

    public Map<String, Long> tags() {
        return tags;
    }

    /** Tracing context, passed from the put to the handler. */
    public Map<String, String> trace() {
        return trace;
    }

    /** A repeated put with this key returns the id of the first task. */
    public Optional<String> idempotencyKey() {
        return Optional.ofNullable(idempotencyKey);
    }

    /** Identifies the content of the put. A second put with the same idempotency key and another fingerprint is refused. */
    public Optional<String> fingerprint() {
        return Optional.ofNullable(fingerprint);
    }

    /** The equivalent tasks that prevent this put; empty for a put in any case. */
    public Optional<Equivalence> unlessEquivalent() {
        return unlessEquivalentIn.isEmpty() ? Optional.empty() : Optional.of(new Equivalence(this, unlessEquivalentIn));
    }

    /** The exhausted task whose dead handler this task runs. */
    public OptionalLong deadOf() {
        return deadOf == 0 ? OptionalLong.empty() : OptionalLong.of(deadOf);
    }

    /** Whether the ack puts a copy for each subscription of the topic with the queue's name. */
    public boolean isPublication() {
        return publication != null && publication == PUBLICATION;
    }

    /** The publication that this task is a copy of. */
    public OptionalLong publicationId() {
        return publication == null || publication == PUBLICATION ? OptionalLong.empty() : OptionalLong.of(publication);
    }

    /** The subscription that this copy is for. */
    public Optional<String> subscriber() {
        return Optional.ofNullable(subscriber);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NewTask that
                && queue.equals(that.queue)
                && payload.equals(that.payload)
                && Objects.equals(priority, that.priority)
                && due.equals(that.due)
                && Objects.equals(ttl, that.ttl)
                && Objects.equals(ttr, that.ttr)
                && Objects.equals(key, that.key)
                && Objects.equals(address, that.address)
                && group == that.group
                && after.equals(that.after)
                && Objects.equals(type, that.type)
                && Objects.equals(tenant, that.tenant)
                && Objects.equals(businessGroup, that.businessGroup)
                && Objects.equals(origin, that.origin)
                && Objects.equals(destination, that.destination)
                && Objects.equals(externalKey, that.externalKey)
                && tags.equals(that.tags)
                && trace.equals(that.trace)
                && Objects.equals(idempotencyKey, that.idempotencyKey)
                && Objects.equals(fingerprint, that.fingerprint)
                && deadOf == that.deadOf
                && Objects.equals(publication, that.publication)
                && Objects.equals(subscriber, that.subscriber)
                && unlessEquivalentIn.equals(that.unlessEquivalentIn);
    }

    @Override
    public int hashCode() {
        return Objects.hash(queue, payload, key, address, group);
    }

    @Override
    public String toString() {
        return "NewTask[" + queue + ", " + payload + "]";
    }

    /** Builds a task and checks each value at once. Not thread-safe. */
    public static final class Builder {
        private String queue;
        private Payload payload = Payload.empty();
        private @Nullable Integer priority;
        private When due = When.now();
        private @Nullable Duration ttl;
        private @Nullable Duration ttr;
        private @Nullable String key;
        private @Nullable String address;
        private long group;
        private List<Predecessor> after = List.of();
        private @Nullable String type;
        private @Nullable String tenant;
        private @Nullable String businessGroup;
        private @Nullable String origin;
        private @Nullable String destination;
        private @Nullable String externalKey;
        private Map<String, Long> tags = Map.of();
        private Map<String, String> trace = Map.of();
        private @Nullable String idempotencyKey;
        private @Nullable String fingerprint;
        private long deadOf;
        private @Nullable Long publication;
        private @Nullable String subscriber;
        private Set<TaskState> unlessEquivalentIn = Set.of();

        private Builder(String queue) {
            this.queue = Checks.queueName(queue);
        }

        public Builder payload(Payload payload) {
            if (payload.size() > Payload.MAX_BYTES) {
                throw new InvalidRequestException(
                        "payload",
                        "of " + payload.size() + " bytes is over the limit of " + Payload.MAX_BYTES
                                + "; keep large things in an object store and put a reference");
            }
            this.payload = payload;
            return this;
        }

        public Builder payload(String text) {
            return payload(Payload.of(text));
        }

        public Builder payload(byte[] bytes) {
            return payload(Payload.of(bytes));
        }

        /** Lower numbers run first; the default is the queue's, 0 unless set. */
        public Builder priority(int priority) {
            this.priority = priority;
            return this;
        }

        /** The earliest time to run; default now. The last call of delay and due counts. */
        public Builder due(When due) {
            this.due = due;
            return this;
        }

        /** The due time, counted from the put. */
        public Builder delay(Duration delay) {
            return due(When.in(delay));
        }

        /** How long the task may wait to be taken, counted from put plus delay; default the queue's. */
        public Builder ttl(Duration ttl) {
            this.ttl = Checks.positive("ttl", ttl);
            return this;
        }

        /** The time limit: how long one delivery may take before its lease is lost; default the queue's. */
        public Builder ttr(Duration ttr) {
            this.ttr = Checks.positive("ttr", ttr);
            return this;
        }

        /** Tasks of the queue with the same key never run at the same time. */
        public Builder key(String key) {
            this.key = Checks.name("key", key);
            return this;
        }

        /** At most one live, unburied task of the queue has this address. */
        public Builder address(String address) {
            this.address = Checks.name("address", address);
            return this;
        }

        /** The group of the task, by its id; the group must not have ended. */
        public Builder group(long group) {
            if (group <= 0) {
                throw new InvalidRequestException("group", "must be the id of a group, was " + group);
            }
            this.group = group;
            return this;
        }

        /**
         * The task waits until all of these tasks of the same group are DONE. If one of them fails, is buried, expires or is canceled, this
         * task is canceled with the reason. Use {@link Workflow} for tasks that are put together.
         */
        public Builder after(long... taskIds) {
            return after(Predecessor.Until.DONE, taskIds);
        }

        /** The task waits until all of these tasks of the same group have ended in any way. */
        public Builder afterEnd(long... taskIds) {
            return after(Predecessor.Until.ENDED, taskIds);
        }

        private Builder after(Predecessor.Until until, long... taskIds) {
            for (long id : taskIds) {
                after(new Predecessor.Known(id, until));
            }
            return this;
        }

        /** Adds a predecessor. */
        public Builder after(Predecessor predecessor) {
            checkPredecessors(after.size() + 1);
            List<Predecessor> more = new ArrayList<>(after);
            more.add(predecessor);
            this.after = List.copyOf(more);
            return this;
        }

        public Builder type(String type) {
            this.type = Checks.name("type", type);
            return this;
        }

        public Builder tenant(String tenant) {
            this.tenant = Checks.name("tenant", tenant);
            return this;
        }

        public Builder businessGroup(String businessGroup) {
            this.businessGroup = Checks.name("businessGroup", businessGroup);
            return this;
        }

        public Builder origin(String origin) {
            this.origin = Checks.name("origin", origin);
            return this;
        }

        public Builder destination(String destination) {
            this.destination = Checks.name("destination", destination);
            return this;
        }

        public Builder externalKey(String externalKey) {
            this.externalKey = Checks.name("externalKey", externalKey);
            return this;
        }

        public Builder tag(String name, long value) {
            tags = Checks.with("tag", tags, name, value);
            return this;
        }

        public Builder trace(String name, String value) {
            trace = Checks.with("trace", trace, name, value);
            return this;
        }

        /** A second put with the same key within ten minutes makes no task and returns the id of the first task. */
        public Builder idempotencyKey(String idempotencyKey) {
            this.idempotencyKey = Checks.name("idempotencyKey", idempotencyKey);
            this.fingerprint = null;
            return this;
        }

        /**
         * A second put with the same key and another fingerprint throws {@link IdempotencyKeyReusedException}, so that another task is not
         * mistaken for a repetition.
         *
         * @param fingerprint identifies all content of the put, such as a hash of the request
         */
        public Builder idempotencyKey(String idempotencyKey, String fingerprint) {
            idempotencyKey(idempotencyKey);
            this.fingerprint = Checks.name("fingerprint", fingerprint);
            return this;
        }

        /**
         * Makes the task only if no equivalent task is DONE, READY, WAITING or SCHEDULED, see {@link Equivalence}. Otherwise the put returns the
         * oldest of those. Of several such puts at the same moment, one makes a task. The task needs an external key and a payload. Closing
         * tasks of groups cannot use it.
         */
        public Builder unlessEquivalent() {
            return unlessEquivalent(Equivalence.DONE_OR_TO_DO);
        }

        /** Makes the task only if no equivalent task is in one of these states. */
        public Builder unlessEquivalent(Set<TaskState> states) {
            if (states.isEmpty()) {
                throw new InvalidRequestException("unlessEquivalent", "must name a state");
            }
            this.unlessEquivalentIn = Set.copyOf(states);
            return this;
        }

        /**
         * Makes the task a publication: its ack puts one copy for each active subscription of the topic with the queue's name.
         */
        public Builder publication() {
            this.publication = PUBLICATION;
            return this;
        }

        public NewTask build() {
            NewTask task = new NewTask(this);
            task.unlessEquivalent(); // throws if the task lacks an external key or a payload
            return task;
        }
    }
}
