package dev.leat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A task at one moment: a snapshot that never changes.
 *
 * <p>Storages make snapshots with {@link #of}; {@code take}, {@code peek} and {@code list} return them.
 */
public final class Task {
    private final long id;
    private final NewTask given;
    private final TaskState state;
    private final int priority;
    private final Instant created;
    private final Instant due;
    private final @Nullable Instant previousDue;
    private final @Nullable Instant expires;
    private final @Nullable Duration ttr;
    private final int attempts;
    private final int failures;
    private final int losses;
    private final int releases;
    private final boolean cancelRequested;
    private final @Nullable String payloadHash;
    private final @Nullable String message;
    private final int failureCode;
    private final @Nullable Payload result;
    private final @Nullable Instant finished;

    private Task(Builder b) {
        id = b.id;
        given = b.given;
        state = b.state;
        priority = b.priority;
        created = b.created;
        due = b.due;
        previousDue = b.previousDue;
        expires = b.expires;
        ttr = b.ttr;
        attempts = b.attempts;
        failures = b.failures;
        losses = b.losses;
        releases = b.releases;
        cancelRequested = b.cancelRequested;
        payloadHash = b.payloadHash;
        message = b.message;
        failureCode = b.failureCode;
        result = b.result;
        finished = b.finished;
    }

    /** For storages: starts a snapshot of the task {@code given}. */
    public static Builder of(long id, NewTask given, TaskState state, Instant created, Instant due) {
        return new Builder(id, given, state, created, due);
    }

    /** Ascends in the order of puts and is never reused; tasks of the same priority run in this order. */
    public long id() {
        return id;
    }

    /** The task as it was put, as far as the storage keeps it. Read times and priority from this task instead. */
    public NewTask given() {
        return given;
    }

    public String queue() {
        return given.queue();
    }

    public TaskState state() {
        return state;
    }

    /** The payload; empty bytes for a finished task whose queue does not keep payloads. */
    public Payload payload() {
        return given.payload();
    }

    public int priority() {
        return priority;
    }

    public Instant created() {
        return created;
    }

    /** When the task became or becomes ready: put plus delay at first, then moved by each retry and loss. */
    public Instant due() {
        return due;
    }

    /** The due time before the last retry, delay or loss. */
    public Optional<Instant> previousDue() {
        return Optional.ofNullable(previousDue);
    }

    /** When the task expires unless it is taken before. */
    public Optional<Instant> expires() {
        return Optional.ofNullable(expires);
    }

    /** The time limit of one delivery. */
    public Optional<Duration> ttr() {
        return Optional.ofNullable(ttr);
    }

    public Optional<String> key() {
        return given.key();
    }

    public Optional<String> address() {
        return given.address();
    }

    public OptionalLong group() {
        return given.group();
    }

    /** The tasks that this task waits or waited for; set by {@code peek} and {@code list}, not by {@code take}. */
    public List<Predecessor> after() {
        return given.after();
    }

    public Optional<String> type() {
        return given.type();
    }

    public Optional<String> tenant() {
        return given.tenant();
    }

    public Optional<String> businessGroup() {
        return given.businessGroup();
    }

    public Optional<String> origin() {
        return given.origin();
    }

    public Optional<String> destination() {
        return given.destination();
    }

    public Optional<String> externalKey() {
        return given.externalKey();
    }

    public Map<String, Long> tags() {
        return given.tags();
    }

    public Map<String, String> trace() {
        return given.trace();
    }

    /** SHA-256 of the payload in hex; only for tasks with an external key and a payload. */
    public Optional<String> payloadHash() {
        return Optional.ofNullable(payloadHash);
    }

    /** The exhausted task that this dead run is for. */
    public OptionalLong deadOf() {
        return given.deadOf();
    }

    /** Whether the ack puts a copy for each subscription. */
    public boolean isPublication() {
        return given.isPublication();
    }

    /** The publication that this task is a copy of. */
    public OptionalLong publicationId() {
        return given.publicationId();
    }

    /** The subscription that this copy is for. */
    public Optional<String> subscriber() {
        return given.subscriber();
    }

    /** How often the task was taken. */
    public int attempts() {
        return attempts;
    }

    /** How many attempts ended in {@code fail} or {@code retry}. */
    public int failures() {
        return failures;
    }

    /** How many attempts ended by a crash, a disconnect or the time limit. */
    public int losses() {
        return losses;
    }

    /** How many attempts were released without a charge. */
    public int releases() {
        return releases;
    }

    /** Whether an operator has asked this running task to stop. */
    public boolean cancelRequested() {
        return cancelRequested;
    }

    /** The message of the last attempt, or the reason of the end. */
    public Optional<String> message() {
        return Optional.ofNullable(message);
    }

    /** The number that the handler gave to {@code fail}; 0 for none. */
    public int failureCode() {
        return failureCode;
    }

    /** The result that the handler gave to {@code ackWith}. */
    public Optional<Payload> result() {
        return Optional.ofNullable(result);
    }

    public Optional<Instant> finished() {
        return Optional.ofNullable(finished);
    }

    @Override
    public String toString() {
        return "Task[" + id + " in " + queue() + ", " + state + "]";
    }

    /** Builds a snapshot. */
    public static final class Builder {
        private final long id;
        private final NewTask given;
        private final TaskState state;
        private final Instant created;
        private final Instant due;
        private int priority;
        private @Nullable Instant previousDue;
        private @Nullable Instant expires;
        private @Nullable Duration ttr;
        private int attempts;
        private int failures;
        private int losses;
        private int releases;
        private boolean cancelRequested;
        private @Nullable String payloadHash;
        private @Nullable String message;
        private int failureCode;
        private @Nullable Payload result;
        private @Nullable Instant finished;

        private Builder(long id, NewTask given, TaskState state, Instant created, Instant due) {
            this.id = id;
            this.given = given;
            this.state = state;
            this.created = created;
            this.due = due;
            this.priority = given.priority().orElse(0);
        }

        public Builder priority(int priority) {
            this.priority = priority;
            return this;
        }

        public Builder previousDue(@Nullable Instant previousDue) {
            this.previousDue = previousDue;
            return this;
        }

        public Builder expires(@Nullable Instant expires) {
            this.expires = expires;
            return this;
        }

        public Builder ttr(@Nullable Duration ttr) {
            this.ttr = ttr;
            return this;
        }

        public Builder counts(int attempts, int failures, int losses, int releases) {
            this.attempts = attempts;
            this.failures = failures;
            this.losses = losses;
            this.releases = releases;
            return this;
        }

        public Builder cancelRequested(boolean cancelRequested) {
            this.cancelRequested = cancelRequested;
            return this;
        }

        public Builder payloadHash(@Nullable String payloadHash) {
            this.payloadHash = payloadHash;
            return this;
        }

        public Builder message(@Nullable String message) {
            this.message = message;
            return this;
        }

        public Builder failureCode(int failureCode) {
            this.failureCode = failureCode;
            return this;
        }

        public Builder result(@Nullable Payload result) {
            this.result = result;
            return this;
        }

        public Builder finished(@Nullable Instant finished) {
            this.finished = finished;
            return this;
        }

        public Task build() {
            return new Task(this);
        }
    }
}
