package dev.leat.sql.internal;

import dev.leat.NewTask;
import dev.leat.Payload;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Turns rows of live_columns and finished_columns into {@link TaskRow}s, and those into the values of statements. Columns
 * are read by their position, and rare ones only where there are any: reading a column costs more than anything else here.
 */
final class Rows {
    private final LongFunction<QueueRow> queues;

    /** @param queues finds the queue of a row by its id */
    Rows(LongFunction<QueueRow> queues) {
        this.queues = queues;
    }

    TaskRow live(ResultSet r) throws SQLException {
        QueueRow queue = queues.apply(r.getLong(2));
        boolean rare = r.getBoolean(27);
        TaskRow row = new TaskRow(r.getLong(1), queue, given(queue, r, rare), r.getInt(4), r.getLong(5));
        row.stored = true;
        row.state = RowState.of(r.getInt(3));
        row.due = r.getLong(6);
        row.expires = r.getLong(7);
        row.ttr = r.getLong(8);
        row.attempts = r.getInt(9);
        if (row.attempts > 0) {
            readDeliveries(r, row);
        }
        row.random = queue.takesAtRandom() ? r.getLong(22) : 0;
        row.takeType = queue.takeType(row.given);
        row.spread = queue.spread(row.given);
        if (rare) {
            readRare(r, row);
        }
        return row;
    }

    TaskRow finished(ResultSet r) throws SQLException {
        TaskRow row = live(r);
        row.finishedAt = r.getLong(43);
        row.hiddenAt = r.getLong(44);
        String resultType = r.getString(45);
        row.result = resultType == null ? null : payload(r.getBytes(46), resultType);
        return row;
    }

    /** What only tasks have that were taken before; one that was given back since is known by its attempt row. */
    private static void readDeliveries(ResultSet r, TaskRow row) throws SQLException {
        row.failures = r.getInt(10);
        row.losses = r.getInt(11);
        row.releases = r.getInt(12);
        row.nonce = r.getLong(15);
        row.session = r.getString(16);
        row.takenAt = r.getLong(17);
        row.leaseUntil = r.getLong(18);
        row.revokeAt = r.getLong(19);
        row.settledNonce = r.getLong(20);
        row.settledBy = SettledBy.of(r.getInt(21));
    }

    private static void readRare(ResultSet r, TaskRow row) throws SQLException {
        row.payloadHash = r.getString(35);
        row.message = r.getString(39);
        row.errorCode = r.getInt(40);
        row.previousDue = r.getLong(41);
    }

    private static NewTask given(QueueRow queue, ResultSet r, boolean rare) throws SQLException {
        NewTask.Builder task = NewTask.to(queue.name()).payload(payload(r.getBytes(26), r.getString(25)));
        set(r.getString(13), task::key);
        long group = r.getLong(14);
        if (group != 0) {
            task.group(group);
        }
        if (!rare) {
            return task.build();
        }
        set(r.getString(28), task::address);
        set(r.getString(29), task::type);
        set(r.getString(30), task::tenant);
        set(r.getString(31), task::businessGroup);
        set(r.getString(32), task::origin);
        set(r.getString(33), task::destination);
        set(r.getString(34), task::externalKey);
        FlatJson.read(r.getString(36)).forEach((name, value) -> task.tag(name, Long.parseLong(value)));
        FlatJson.read(r.getString(37)).forEach(task::trace);
        long ownTtr = r.getLong(42);
        if (ownTtr != 0) {
            task.ttr(Times.duration(ownTtr));
        }
        long deadOf = r.getLong(38);
        return deadOf == 0 ? task.build() : task.build().deadRun(deadOf, r.getInt(4));
    }

    private static void set(@Nullable String value, Consumer<String> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private static Payload payload(byte @Nullable [] bytes, String contentType) {
        return Payload.of(bytes == null ? new byte[0] : bytes, contentType);
    }

    // Values of statements

    static boolean isPlain(TaskRow row) {
        return row.random == 0 && row.takeType == null && row.spread == null && isPlain(row.given);
    }

    /** Whether the few columns of insert-plain tell all about the task. */
    static boolean isPlain(NewTask task) {
        return task.ttr().isEmpty()
                && task.address().isEmpty()
                && task.group().isEmpty()
                && task.type().isEmpty()
                && task.tenant().isEmpty()
                && task.businessGroup().isEmpty()
                && task.origin().isEmpty()
                && task.destination().isEmpty()
                && task.externalKey().isEmpty()
                && task.tags().isEmpty()
                && task.trace().isEmpty()
                && task.deadOf().isEmpty();
    }

    static @Nullable Object[] insertPlain(TaskRow row) {
        return new @Nullable Object[] {
            row.id,
            row.queue.id(),
            row.state.code,
            row.priority,
            row.place(),
            row.created,
            row.due,
            orNull(row.expires),
            orNull(row.ttr),
            row.key(),
            row.given.payload().contentType(),
            row.given.payload().bytes()
        };
    }

    static @Nullable Object[] insertFull(TaskRow row) {
        @Nullable
        Object[] takeKeys = {
            row.given.ttr().map(Times::micros).orElse(null), orNull(row.random), row.takeType, row.spread
        };
        return join(insertPlain(row), takeKeys, description(row));
    }

    /** From address to dead_of, in the order that both tables have. */
    private static @Nullable Object[] description(TaskRow row) {
        NewTask task = row.given;
        return new @Nullable Object[] {
            task.address().orElse(null),
            orNull(row.groupId()),
            task.type().orElse(null),
            task.tenant().orElse(null),
            task.businessGroup().orElse(null),
            task.origin().orElse(null),
            task.destination().orElse(null),
            task.externalKey().orElse(null),
            row.payloadHash,
            FlatJson.write(task.tags()),
            FlatJson.write(task.trace()),
            orNull(task.deadOf().orElse(0))
        };
    }

    static @Nullable Object[] update(TaskRow row) {
        return new @Nullable Object[] {
            row.state.code,
            row.place(),
            row.due,
            orNull(row.previousDue),
            orNull(row.expires),
            row.attempts,
            row.failures,
            row.losses,
            row.releases,
            orNull(row.groupId()),
            orNull(row.nonce),
            row.session,
            orNull(row.takenAt),
            orNull(row.leaseUntil),
            orNull(row.revokeAt),
            orNull(row.settledNonce),
            row.settledBy.code,
            row.message,
            row.errorCode,
            row.id
        };
    }

    static @Nullable Object[] insertFinished(TaskRow row) {
        Payload payload = row.given.payload();
        Payload result = row.result;
        @Nullable
        Object[] history = {
            row.id,
            row.queue.id(),
            row.state.code,
            row.finishedAt,
            row.hiddenAt,
            row.priority,
            row.created,
            row.due,
            orNull(row.previousDue),
            orNull(row.expires),
            orNull(row.ttr),
            row.attempts,
            row.failures,
            row.losses,
            row.releases,
            orNull(row.settledNonce),
            row.settledBy.code,
            row.key()
        };
        @Nullable
        Object[] ending = {
            row.message,
            row.errorCode,
            result == null ? null : result.contentType(),
            result == null ? null : result.bytes(),
            payload.contentType(),
            payload.bytes()
        };
        return join(history, description(row), ending);
    }

    static @Nullable Long orNull(long value) {
        return value == 0 ? null : value;
    }

    private static @Nullable Object[] join(@Nullable Object[]... parts) {
        List<@Nullable Object> all = new ArrayList<>();
        for (@Nullable Object[] part : parts) {
            Collections.addAll(all, part);
        }
        return all.toArray();
    }
}
