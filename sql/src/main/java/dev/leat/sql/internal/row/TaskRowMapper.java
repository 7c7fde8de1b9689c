package dev.leat.sql.internal.row;

import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.storage.DeliveryCounts;
import dev.leat.storage.SettledBy;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows of live_columns and finished_columns as {@link TaskRow}s, and writes those as the values of statements. Columns are read by their
 * position, and optional columns only if the row has any, because reading a column is the most expensive step here.
 */
public final class TaskRowMapper {
    private final LongFunction<QueueRow> queues;

    /** @param queues finds the queue of a row by its id */
    public TaskRowMapper(LongFunction<QueueRow> queues) {
        this.queues = queues;
    }

    public TaskRow live(ResultSet r) throws SQLException {
        QueueRow queue = queues.apply(r.getLong(2));
        OptionalColumns rare = r.getBoolean(27) ? OptionalColumns.columns(r, 28) : null;
        NewTask given = given(queue, payload(r.getBytes(26), r.getString(25)), r.getString(13), r.getLong(14), rare);
        TaskRow row = row(r.getLong(1), queue, given, r.getInt(4), r.getLong(5), rare);
        row.stored = true;
        row.state = RowState.of(r.getInt(3));
        row.due = r.getLong(6);
        row.expires = r.getLong(7);
        row.ttr = r.getLong(8);
        int attempts = r.getInt(9);
        if (attempts > 0) {
            readDeliveries(r, row, attempts);
        }
        row.random = queue.takesAtRandom() ? r.getLong(22) : 0;
        row.takeType = queue.takeType(row.given);
        row.spread = queue.spread(row.given);
        return row;
    }

    /** Reads a row of taken_columns, which has only the columns that a take returns. */
    public static TaskRow taken(ResultSet r, QueueRow queue, long nonce) throws SQLException {
        Array array = r.getArray(12);
        OptionalColumns rare = array == null ? null : OptionalColumns.texts((String[]) array.getArray());
        long group = rare == null ? 0 : rare.groupId();
        NewTask given = given(queue, payload(r.getBytes(11), r.getString(10)), r.getString(9), group, rare);
        TaskRow row = row(r.getLong(1), queue, given, r.getInt(2), r.getLong(3), rare);
        row.state = RowState.TAKEN;
        row.due = r.getLong(4);
        row.expires = r.getLong(5);
        row.ttr = r.getLong(6);
        row.counts = rare == null
                ? new DeliveryCounts(r.getInt(7), 0, 0, 0)
                : new DeliveryCounts(r.getInt(7), rare.failures(), rare.losses(), rare.releases());
        row.leaseUntil = r.getLong(8);
        row.nonce = nonce;
        return row;
    }

    private static TaskRow row(
            long id, QueueRow queue, NewTask given, int priority, long created, @Nullable OptionalColumns rare)
            throws SQLException {
        if (rare == null) {
            return new TaskRow(id, queue, given, priority, created);
        }
        long deadOf = rare.deadOf();
        TaskRow row = new TaskRow(id, queue, deadOf == 0 ? given : given.deadRun(deadOf, priority), priority, created);
        row.payloadHash = rare.payloadHash();
        row.message = rare.message();
        row.errorCode = rare.errorCode();
        row.previousDue = rare.previousDue();
        return row;
    }

    public TaskRow finished(ResultSet r) throws SQLException {
        TaskRow row = live(r);
        row.finishedAt = r.getLong(45);
        row.hiddenAt = r.getLong(46);
        row.result = result(r, 47).orElse(null);
        return row;
    }

    /** @param column the column of the content type; the next column has the bytes */
    public static Optional<Payload> result(ResultSet r, int column) throws SQLException {
        String type = r.getString(column);
        return type == null ? Optional.empty() : Optional.of(payload(r.getBytes(column + 1), type));
    }

    /** Reads the columns that only taken tasks have. A task that was taken once and given back has none: its attempt row has the settle. */
    private static void readDeliveries(ResultSet r, TaskRow row, int attempts) throws SQLException {
        row.counts = new DeliveryCounts(attempts, r.getInt(10), r.getInt(11), r.getInt(12));
        row.nonce = r.getLong(15);
        row.session = r.getString(16);
        row.takenAt = r.getLong(17);
        row.leaseUntil = r.getLong(18);
        row.revokeAt = r.getLong(19);
        row.settledNonce = r.getLong(20);
        row.settledBy = SettledBy.of(r.getInt(21));
    }

    private static NewTask given(
            QueueRow queue, Payload payload, @Nullable String key, long group, @Nullable OptionalColumns rare)
            throws SQLException {
        NewTask.Builder task = NewTask.to(queue.name()).payload(payload);
        set(key, task::key);
        if (group != 0) {
            task.group(group);
        }
        if (rare != null) {
            set(rare.address(), task::address);
            set(rare.type(), task::type);
            set(rare.tenant(), task::tenant);
            set(rare.businessGroup(), task::businessGroup);
            set(rare.origin(), task::origin);
            set(rare.destination(), task::destination);
            set(rare.externalKey(), task::externalKey);
            rare.tags().forEach((name, value) -> task.tag(name, Long.parseLong(value)));
            rare.trace().forEach(task::trace);
            long ownTtr = rare.ownTtr();
            if (ownTtr != 0) {
                task.ttr(Times.duration(ownTtr));
            }
            return published(task, rare);
        }
        return task.build();
    }

    private static NewTask published(NewTask.Builder task, OptionalColumns rare) throws SQLException {
        OptionalLong publication = rare.publicationId();
        if (publication.isPresent() && publication.getAsLong() == 0) {
            return task.publication().build();
        }
        String subscriber = rare.subscriber();
        return publication.isPresent() && subscriber != null
                ? task.build().copyOf(publication.getAsLong(), subscriber)
                : task.build();
    }

    private static void set(@Nullable String value, Consumer<String> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private static Payload payload(byte @Nullable [] bytes, @Nullable String contentType) {
        return Payload.of(bytes == null ? new byte[0] : bytes, contentType == null ? Payload.TEXT : contentType);
    }

    /** The content type as it is stored: null for text. */
    public static @Nullable String contentType(Payload payload) {
        return payload.contentType().equals(Payload.TEXT) ? null : payload.contentType();
    }

    // Values of statements

    public static Values insertPlain(Values values, TaskRow row) {
        return values.set("id", row.id)
                .set("queue_id", row.queue.id())
                .set("state", row.state.code)
                .set("priority", row.priority)
                .set("place", row.place())
                .set("created", row.created)
                .set("due", row.due)
                .set("expires", orNull(row.expires))
                .set("ttr", orNull(row.ttr))
                .set("task_key", row.key())
                .set("content_type", contentType(row.given.payload()))
                .set("payload", row.given.payload().bytes());
    }

    public static Values insertFull(Values values, TaskRow row) {
        return setDescription(insertPlain(values, row), row)
                .set("own_ttr", row.given.ttr().map(Times::micros).orElse(null))
                .set("random", orNull(row.random))
                .set("take_type", row.takeType)
                .set("spread", row.spread);
    }

    /** The columns from address to subscriber, which live and finished tasks have. */
    private static Values setDescription(Values values, TaskRow row) {
        NewTask task = row.given;
        return values.set("address", task.address().orElse(null))
                .set("group_id", orNull(row.groupId()))
                .set("type", task.type().orElse(null))
                .set("tenant", task.tenant().orElse(null))
                .set("business_group", task.businessGroup().orElse(null))
                .set("origin", task.origin().orElse(null))
                .set("destination", task.destination().orElse(null))
                .set("external_key", task.externalKey().orElse(null))
                .set("payload_hash", row.payloadHash)
                .set("tags", FlatJson.write(task.tags()))
                .set("trace", FlatJson.write(task.trace()))
                .set("dead_of", orNull(task.deadOf().orElse(0)))
                .set(
                        "publication_id",
                        task.isPublication()
                                ? Long.valueOf(0)
                                : orNull(task.publicationId().orElse(0)))
                .set("subscriber", task.subscriber().orElse(null));
    }

    public static Values update(Values values, TaskRow row) {
        return values.set("id", row.id)
                .set("state", row.state.code)
                .set("place", row.place())
                .set("due", row.due)
                .set("previous_due", orNull(row.previousDue))
                .set("expires", orNull(row.expires))
                .set("attempts", row.counts.attempts())
                .set("failures", row.counts.failures())
                .set("losses", row.counts.losses())
                .set("releases", row.counts.releases())
                .set("group_id", orNull(row.groupId()))
                .set("nonce", orNull(row.nonce))
                .set("session_id", row.session)
                .set("taken_at", orNull(row.takenAt))
                .set("lease_until", orNull(row.leaseUntil))
                .set("revoke_at", orNull(row.revokeAt))
                .set("settled_nonce", orNull(row.settledNonce))
                .set("settled_by", row.settledBy.code())
                .set("message", row.message)
                .set("error_code", row.errorCode)
                .set("spread", row.spread);
    }

    public static Values insertFinished(Values values, TaskRow row) {
        Payload payload = row.given.payload();
        Payload result = row.result;
        return setDescription(values, row)
                .set("id", row.id)
                .set("queue_id", row.queue.id())
                .set("state", row.state.code)
                .set("finished_at", row.finishedAt)
                .set("hidden_at", row.hiddenAt)
                .set("priority", row.priority)
                .set("created", row.created)
                .set("due", row.due)
                .set("previous_due", orNull(row.previousDue))
                .set("expires", orNull(row.expires))
                .set("ttr", orNull(row.ttr))
                .set("attempts", row.counts.attempts())
                .set("failures", row.counts.failures())
                .set("losses", row.counts.losses())
                .set("releases", row.counts.releases())
                .set("settled_nonce", orNull(row.settledNonce))
                .set("settled_by", row.settledBy.code())
                .set("task_key", row.key())
                .set("message", row.message)
                .set("error_code", row.errorCode)
                .set("result_type", result == null ? null : result.contentType())
                .set("result", result == null ? null : result.bytes())
                .set("content_type", contentType(payload))
                .set("payload", payload.bytes());
    }

    public static @Nullable Long orNull(long value) {
        return value == 0 ? null : value;
    }
}
