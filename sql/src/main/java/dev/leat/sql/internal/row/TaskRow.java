package dev.leat.sql.internal.row;

import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.storage.DeliveryCounts;
import dev.leat.storage.HolderReport;
import dev.leat.storage.SettledBy;
import dev.leat.storage.TaskTimer;
import org.jspecify.annotations.Nullable;

/** One task as one transaction sees and changes it. Times and durations are microseconds, 0 for none. */
public final class TaskRow {
    public final long id;
    public final QueueRow queue;
    public final int priority;
    final long created;
    /** Whether the row is in the table of live tasks. */
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

    public DeliveryCounts counts = DeliveryCounts.NONE;

    /** Whether tasks that this one comes after have not ended. */
    public boolean waitsForOthers;

    /** Why the task has to be canceled; null unless a task that it comes after ended badly. */
    @Nullable
    public String predecessorFailure;

    public long nonce;

    @Nullable
    public String session;

    public long takenAt;
    public long leaseUntil;
    /** When the lease of a canceled task is revoked; 0 if the task was not canceled. */
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

    /** When time changes the row; 0 for never. Equal to the column timer_at. */
    public long timerAt() {
        return switch (TaskTimer.of(state.task)) {
            case DUE_TIME -> due;
            case LEASE -> Times.earlier(leaseUntil, revokeAt);
            case TIME_TO_LIVE -> expires;
            case NONE -> 0;
        };
    }

    public void report(HolderReport report) {
        message = report.message();
        errorCode = report.errorCode();
        result = report.result();
    }

    public void clearLease() {
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
                .counts(counts.attempts(), counts.failures(), counts.losses(), counts.releases())
                .cancelRequested(cancelRequested())
                .payloadHash(payloadHash)
                .message(message)
                .errorCode(errorCode)
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
