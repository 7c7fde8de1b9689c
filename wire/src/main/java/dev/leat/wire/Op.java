package dev.leat.wire;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The operations of a client; most have the names of methods of {@link dev.leat.storage.Storage}. */
public enum Op {
    // What it is
    NOW(Again.HARMLESS),
    EXAMINE(Again.HARMLESS),
    /** Sends a notice to all listening clients. */
    NOTIFY(Again.HARMLESS),

    // Queues
    CREATE_QUEUE(Again.UNKNOWN),
    DECLARE_QUEUE(Again.HARMLESS),
    QUEUE(Again.HARMLESS),
    QUEUES(Again.HARMLESS),
    PAUSE(Again.HARMLESS),
    RESUME(Again.HARMLESS),
    DROP(Again.UNKNOWN),
    TRUNCATE(Again.UNKNOWN),
    RELEASE_ALL(Again.UNKNOWN),

    // Tasks
    /** Each task carries an idempotency key. */
    PUT(Again.HARMLESS),
    /** After a lost answer, {@link #LEASES} finds the taken tasks. */
    TAKE(Again.UNKNOWN),
    SETTLE(Again.HARMLESS),
    TOUCH(Again.UNKNOWN),
    CHUNK(Again.HARMLESS),
    PEEK(Again.HARMLESS),
    LIST(Again.HARMLESS),
    ATTEMPTS(Again.HARMLESS),
    COUNT_BURIED(Again.HARMLESS),
    REDRIVE(Again.UNKNOWN),
    KICK_QUEUE(Again.UNKNOWN),
    KICK(Again.UNKNOWN),
    DELETE(Again.UNKNOWN),
    CANCEL(Again.UNKNOWN),
    BURY(Again.UNKNOWN),
    FIND_ADDRESS(Again.HARMLESS),
    FIND_ADDRESSES(Again.HARMLESS),
    OUTCOME(Again.HARMLESS),
    /** The server then sends notices about the live tasks. */
    STANDINGS(Again.HARMLESS),
    FIND_EQUIVALENT(Again.HARMLESS),
    STATS(Again.HARMLESS),
    QUEUE_STATS(Again.HARMLESS),
    TENANT_STATS(Again.HARMLESS),

    // Sessions
    OPEN_SESSION(Again.HARMLESS),
    HEARTBEAT(Again.HARMLESS),
    LEASES(Again.HARMLESS),
    DISCONNECT(Again.HARMLESS),
    CLOSE_SESSION(Again.UNKNOWN),

    // Groups
    CREATE_GROUP(Again.UNKNOWN),
    PUT_GROUP(Again.UNKNOWN),
    GROUP(Again.HARMLESS),
    GROUP_NAMED(Again.HARMLESS),
    SET_GROUP_TASKS(Again.HARMLESS),
    START_GROUP(Again.HARMLESS),
    CANCEL_GROUP(Again.HARMLESS),

    // Subscriptions
    PUT_SUBSCRIPTION(Again.HARMLESS),
    SUBSCRIPTION(Again.HARMLESS),
    SUBSCRIPTIONS(Again.HARMLESS),
    ENABLE_SUBSCRIPTION(Again.HARMLESS),
    DISABLE_SUBSCRIPTION(Again.HARMLESS),
    DROP_SUBSCRIPTION(Again.UNKNOWN),

    // Schedules
    PUT_SCHEDULE(Again.HARMLESS),
    SCHEDULE(Again.HARMLESS),
    SCHEDULES(Again.HARMLESS),
    PAUSE_SCHEDULE(Again.HARMLESS),
    RESUME_SCHEDULE(Again.HARMLESS),
    TRIGGER_SCHEDULE(Again.UNKNOWN),
    DROP_SCHEDULE(Again.UNKNOWN),

    // Time
    SWEEP(Again.HARMLESS),

    // Locks, which end with the connection
    ACQUIRE(Again.UNKNOWN),
    RENEW(Again.UNKNOWN),
    UNLOCK(Again.UNKNOWN);

    /** Whether an operation can be sent again after its answer was lost. */
    private enum Again {
        HARMLESS,
        /** Only the caller can decide. */
        UNKNOWN
    }

    private final Again again;

    Op(Again again) {
        this.again = again;
    }

    /** Whether the client may send the operation again after its answer was lost. */
    public boolean isRepeatable() {
        return again == Again.HARMLESS;
    }

    /** The name on the wire, such as {@code create-queue}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<Op> of(String code) {
        return Arrays.stream(values()).filter(op -> op.code().equals(code)).findFirst();
    }
}
