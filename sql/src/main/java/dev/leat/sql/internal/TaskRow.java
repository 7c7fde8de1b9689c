package dev.leat.sql.internal;

import dev.leat.storage.SettledBy;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import org.jspecify.annotations.Nullable;

/** One task as one transaction sees and changes it. Times and durations are microseconds, 0 for none. */
final class TaskRow {
    final long id;
    final QueueRow queue;
    final int priority;
    final long created;
    /** Whether the table of live tasks has it already. */
    boolean stored;

    NewTask given;
    RowState state = RowState.READY;
    long due;
    long previousDue;
    long expires;
    long ttr;
    long random;

    @Nullable
    String takeType;

    @Nullable
    String spread;

    @Nullable
    String payloadHash;

    int attempts;
    int failures;
    int losses;
    int releases;

    /** Whether it waits for other tasks of its group. */
    boolean waitsForOthers;

    /** Why it can no longer run, if one that it waits for ended badly. */
    @Nullable
    String doom;

    long nonce;

    @Nullable
    String session;

    long takenAt;
    long leaseUntil;
    /** When the lease of a task that somebody canceled is taken away. */
    long revokeAt;

    long settledNonce;
    SettledBy settledBy = SettledBy.NOTHING;

    @Nullable
    String message;

    int errorCode;

    @Nullable
    Payload result;

    long finishedAt;
    long hiddenAt;

    TaskRow(long id, QueueRow queue, NewTask given, int priority, long created) {
        this.id = id;
        this.queue = queue;
        this.given = given;
        this.priority = priority;
        this.created = created;
    }

    @Nullable
    String key() {
        return given.key().orElse(null);
    }

    long groupId() {
        return given.group().orElse(0);
    }

    long place() {
        return queue.place(due);
    }

    boolean isHeldUnder(long leaseNonce) {
        return state == RowState.TAKEN && nonce == leaseNonce;
    }

    boolean isHidden(long now) {
        return !state.isLive() && hiddenAt <= now;
    }

    boolean cancelRequested() {
        return revokeAt != 0;
    }

    /** When time changes the row; 0 when it never does. The column timer_at says the same. */
    long timerAt() {
        return switch (state) {
            case SCHEDULED -> due;
            case TAKEN -> leaseUntil == 0 || (revokeAt != 0 && revokeAt < leaseUntil) ? revokeAt : leaseUntil;
            case WAITING_GROUP, WAITING_KEY, READY, BURIED -> expires;
            case DONE, FAILED, EXPIRED, CANCELED -> 0;
        };
    }

    void forgetLease() {
        nonce = 0;
        session = null;
        takenAt = 0;
        leaseUntil = 0;
        revokeAt = 0;
    }

    Task snapshot() {
        return Task.of(id, given, state.task, Times.instant(created), Times.instant(due))
                .priority(priority)
                .previousDue(Times.instantOrNull(previousDue))
                .expires(Times.instantOrNull(expires))
                .ttr(Times.durationOrNull(ttr))
                .counts(attempts, failures, losses, releases)
                .cancelRequested(cancelRequested())
                .payloadHash(payloadHash)
                .message(message)
                .errorCode(errorCode)
                .result(result)
                .finished(Times.instantOrNull(finishedAt))
                .build();
    }

    TakenTask taken() {
        return new TakenTask(snapshot(), Lease.of(id, nonce), Times.optional(leaseUntil));
    }

    TaskEvent event(TaskEvent.Kind kind) {
        return new TaskEvent(kind, queue.name(), id, state.task);
    }

    @Override
    public String toString() {
        return "TaskRow[" + id + " " + state + "]";
    }
}
