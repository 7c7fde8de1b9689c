package dev.leat.queue;

import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;

/**
 * How long finished tasks are kept. Zero removes them at once. Live tasks are always kept.
 *
 * @param done for acknowledged tasks
 * @param failed for tasks that ended with an error
 * @param expired for tasks whose time to live ran out
 * @param canceled for deleted and canceled tasks
 * @param donePayload whether an acknowledged task keeps its payload
 */
public record Retention(Duration done, Duration failed, Duration expired, Duration canceled, DonePayload donePayload) {
    private static final Retention DEFAULT = all(Duration.ofDays(1));

    /** Whether an acknowledged task keeps its payload. */
    public enum DonePayload {
        DROP,
        KEEP
    }

    public Retention {
        Checks.notNegative("retention done", done);
        Checks.notNegative("retention failed", failed);
        Checks.notNegative("retention expired", expired);
        Checks.notNegative("retention canceled", canceled);
    }

    /** One day for all states, without the payload of acknowledged tasks. */
    public static Retention standard() {
        return DEFAULT;
    }

    public static Retention all(Duration time) {
        return new Retention(time, time, time, time, DonePayload.DROP);
    }

    /** Removes finished tasks at once. */
    public static Retention none() {
        return all(Duration.ZERO);
    }

    /** A copy that keeps tasks in the state {@code state} for {@code time}. */
    public Retention keep(TaskState state, Duration time) {
        return switch (state) {
            case DONE -> new Retention(time, failed, expired, canceled, donePayload);
            case FAILED -> new Retention(done, time, expired, canceled, donePayload);
            case EXPIRED -> new Retention(done, failed, time, canceled, donePayload);
            case CANCELED -> new Retention(done, failed, expired, time, donePayload);
            case WAITING, SCHEDULED, READY, TAKEN, BURIED -> throw notFinished(state);
        };
    }

    public Retention donePayload(DonePayload donePayload) {
        return new Retention(done, failed, expired, canceled, donePayload);
    }

    /** How long tasks in the state {@code state} are kept. */
    public Duration of(TaskState state) {
        return switch (state) {
            case DONE -> done;
            case FAILED -> failed;
            case EXPIRED -> expired;
            case CANCELED -> canceled;
            case WAITING, SCHEDULED, READY, TAKEN, BURIED -> throw notFinished(state);
        };
    }

    private static InvalidRequestException notFinished(TaskState state) {
        return new InvalidRequestException("state", "must be finished, was " + state);
    }
}
