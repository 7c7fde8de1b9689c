package dev.leat.sql.internal.row;

import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.storage.SettledBy;
import org.jspecify.annotations.Nullable;

/** One task as one transaction sees and changes it. Times and durations are microseconds, 0 for none. */
public final class TaskRow {
    public final long id;
    public final QueueRow queue;
    public final int priority;
    final long created;
    /** Whether the table of live tasks has it already. */
    public boolean stored;

    public NewTask given;
    public RowState state = RowState.READY;
    public long due;
    public long previousDue;
    public long expires;
    public long ttr;
    public long random;

    @Nullable
    public String takeType;

    @Nullable
    public String spread;

    @Nullable
    public String payloadHash;

    public int attempts;
    public int failures;
    public int losses;
    public int releases;

    /** Whether it waits for other tasks of its group. */
    public boolean waitsForOthers;

    /** Why it can no longer run, if one that it waits for ended badly. */
    @Nullable
    public String doom;

    public long nonce;

    @Nullable
    public String session;

    public long takenAt;
    public long leaseUntil;
    /** When the lease of a task that somebody canceled is taken away. */
    public long revokeAt;

    public long settledNonce;
    public SettledBy settledBy = SettledBy.NOTHING;

    @Nullable
    public String message;

    public int errorCode;

    @Nullable
    public Payload result;

    public long finishedAt;
    public long hiddenAt;

    public TaskRow(long id, QueueRow queue, NewTask given, int priority, long created) {
        this.id = id;
        this.queue = queue;
        this.given = given;
        this.priority = priority;
        this.created = created;
    }

    @Nullable
    public String key() {
        return given.key().orElse(null);
    }

    public long groupId() {
        return given.group().orElse(0);
    }

    public long place() {
        return queue.place(due);
    }

    public boolean isHeldUnder(long leaseNonce) {
        return state == RowState.TAKEN && nonce == leaseNonce;
    }

    public boolean isHidden(long now) {
        return !state.isLive() && hiddenAt <= now;
    }

    public boolean cancelRequested() {
        return revokeAt != 0;
    }

    /** When time changes the row; 0 when it never does. The column timer_at says the same. */
    public long timerAt() {
        return switch (state) {
            case SCHEDULED -> due;
            case TAKEN -> leaseUntil == 0 || (revokeAt != 0 && revokeAt < leaseUntil) ? revokeAt : leaseUntil;
            case WAITING_GROUP, WAITING_KEY, READY, BURIED -> expires;
            case DONE, FAILED, EXPIRED, CANCELED -> 0;
        };
    }

    public void forgetLease() {
        nonce = 0;
        session = null;
        takenAt = 0;
        leaseUntil = 0;
        revokeAt = 0;
    }

    public Task snapshot() {
        return Task.of(id, given, state.task, Times.instant(created), Times.instant(due))
                .priority(priority)
                .previousDue(Times.instantOrNull(previousDue))
                .expires(Times.instantOrNull(expires))
                .ttr(Times.durationOrNull(ttr))
                .counts(attempts, failures, losses, releases)
                .cancelRequested(cancelRequested())
                .payloadHash(payloadHash)
                .message(message)
                .failureCode(errorCode)
                .result(result)
                .finished(Times.instantOrNull(finishedAt))
                .build();
    }

    public TakenTask taken() {
        return new TakenTask(snapshot(), Lease.of(id, nonce), Times.optional(leaseUntil));
    }

    public TaskEvent event(TaskEvent.Kind kind) {
        return new TaskEvent(kind, queue.name(), id, state.task);
    }

    @Override
    public String toString() {
        return "TaskRow[" + id + " " + state + "]";
    }
}
