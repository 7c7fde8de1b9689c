package dev.leat.sql.internal.work;

import dev.leat.NewTask;
import dev.leat.Queue;
import dev.leat.error.QueueExistsException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.UnsupportedByStorageException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.TakeOrder;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.FlatJson;
import dev.leat.sql.internal.row.OptionsText;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.Rows;
import dev.leat.storage.Notice;
import dev.leat.storage.OperatorRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queues, within one unit of work: finds them, makes them, changes what they are. */
public final class QueueRows {
    private final UnitOfWork unit;
    private final Tx tx;
    private final QueueCache cache;
    private final Map<String, QueueRow> byName = new HashMap<>();
    private final Map<Long, QueueRow> byId = new HashMap<>();

    QueueRows(UnitOfWork unit, QueueCache cache) {
        this.unit = unit;
        this.tx = unit.tx;
        this.cache = cache;
    }

    // Finding

    public QueueRow get(String name) {
        QueueRow found = find(name);
        if (found == null) {
            throw new QueueNotFoundException(name);
        }
        return found;
    }

    @Nullable
    public QueueRow find(String name) {
        QueueRow known = byName.get(name);
        if (known != null) {
            return known;
        }
        record Version(long id, long revision) {}
        Optional<Version> version =
                tx.first("queue-revision", row -> new Version(row.getLong(1), row.getLong(2)), name);
        return version.isEmpty() ? null : remember(load(version.get().id, version.get().revision));
    }

    /** The queue of a row, which may have been dropped since. */
    public QueueRow byId(long id) {
        QueueRow known = byId.get(id);
        if (known != null) {
            return known;
        }
        long revision = tx.number("queue-revision-by-id", id);
        QueueRow queue = load(id, revision);
        byId.put(id, queue);
        return queue;
    }

    private QueueRow load(long id, long revision) {
        QueueRow cached = cache.get(id, revision);
        if (cached != null) {
            return cached;
        }
        QueueRow queue = tx.first("queue-by-id", QueueRows::read, id).orElseThrow();
        cache.keep(queue);
        return queue;
    }

    private QueueRow remember(QueueRow queue) {
        byName.put(queue.name(), queue);
        byId.put(queue.id(), queue);
        return queue;
    }

    public List<QueueRow> all() {
        return tx.list("queues", QueueRows::read);
    }

    public static QueueRow read(ResultSet row) throws SQLException {
        return new QueueRow(
                row.getLong(1),
                row.getString(2),
                OptionsText.read(row.getString(3)),
                row.getInt(4) != 0,
                QueueInfo.SetBy.valueOf(row.getString(5)),
                row.getLong(6));
    }

    // Making and changing

    public QueueRow create(String name, QueueOptions options) {
        Queue.checkName(name);
        if (find(name) != null) {
            throw new QueueExistsException(name);
        }
        return add(name, options, QueueInfo.SetBy.CODE);
    }

    public QueueRow declare(String name, QueueOptions options, QueueInfo.SetBy setBy) {
        Queue.checkName(name);
        QueueRow existing = find(name);
        if (existing == null) {
            return add(name, options, setBy);
        }
        if (!OperatorRules.mayChange(existing.setBy(), setBy)) {
            return existing;
        }
        unit.ready(name);
        if (existing.setBy() == setBy && existing.options().equals(options)) {
            return existing;
        }
        checkSupported(options);
        tx.update(
                "change-queue",
                OptionsText.write(options),
                Times.micros(options.retention().done()),
                keepsPayload(options),
                setBy.name(),
                existing.id());
        QueueRow changed = reread(existing);
        if (!takesAlike(existing.options(), options)) {
            setTakeKeys(changed);
        }
        return changed;
    }

    QueueRow add(String name, QueueOptions options, QueueInfo.SetBy setBy) {
        Queue.checkName(name);
        checkSupported(options);
        tx.update(
                "insert-queue",
                name,
                OptionsText.write(options),
                Times.micros(options.retention().done()),
                keepsPayload(options),
                setBy.name());
        QueueRow added = find(name);
        if (added == null) {
            throw new IllegalStateException("queue '" + name + "' was just made and is not there");
        }
        return added;
    }

    private void checkSupported(QueueOptions options) {
        long tags = options.takeOrders().stream()
                .filter(TakeOrder.PreferDistinct.class::isInstance)
                .map(order -> ((TakeOrder.PreferDistinct) order).tag())
                .distinct()
                .count();
        if (tags > 1) {
            throw new UnsupportedByStorageException(
                    tx.dialect().name(), "take orders that spread over more than one tag in one queue");
        }
    }

    private static boolean keepsPayload(QueueOptions options) {
        return options.retention().donePayload() == Retention.DonePayload.KEEP;
    }

    private static boolean takesAlike(QueueOptions a, QueueOptions b) {
        return a.placeBy() == b.placeBy()
                && a.typeFilter() == b.typeFilter()
                && a.tenants() == b.tenants()
                && a.takeOrders().equals(b.takeOrders());
    }

    /** Tasks that were put under other options get what takes now order and filter by. */
    private void setTakeKeys(QueueRow queue) {
        record Keyed(long id, NewTask given, long due) {}
        List<Keyed> tasks = tx.list(
                "take-keys-of-queue",
                row -> {
                    NewTask.Builder task = NewTask.to(queue.name());
                    String type = row.getString(2);
                    if (type != null) {
                        task.type(type);
                    }
                    FlatJson.read(row.getString(3)).forEach((tag, value) -> task.tag(tag, Long.parseLong(value)));
                    String tenant = row.getString(5);
                    if (tenant != null) {
                        task.tenant(tenant);
                    }
                    return new Keyed(row.getLong(1), task.build(), row.getLong(4));
                },
                queue.id());
        Tx.Batch batch = tx.batch("set-take-keys");
        for (Keyed task : tasks) {
            batch.add(
                    queue.place(task.due),
                    queue.takesAtRandom() ? Rows.orNull(unit.randomPlace()) : null,
                    queue.takeType(task.given),
                    queue.spread(task.given),
                    task.id);
        }
        batch.run();
    }

    public void pause(String name) {
        QueueRow queue = get(name);
        tx.update("pause-queue", 1, queue.id());
        reread(queue);
        unit.notice(new Notice.Paused(name));
    }

    public void resume(String name) {
        QueueRow queue = get(name);
        tx.update("pause-queue", 0, queue.id());
        reread(queue);
        unit.ready(name);
    }

    /** Takes the queue away; its tasks are the caller's business. */
    public QueueRow remove(String name) {
        QueueRow queue = get(name);
        long taken = tx.number("count-taken", queue.id(), Integer.MAX_VALUE);
        OperatorRules.checkMayDrop(name, taken, waitingTakes(name));
        tx.update("drop-queue", queue.id());
        byName.remove(name);
        return queue;
    }

    /** How many takes wait for tasks of the queue, as the last heartbeats of all sessions say. */
    int waitingTakes(String queue) {
        return tx.list("waiting", row -> FlatJson.read(row.getString(1))).stream()
                .mapToInt(waiting -> Integer.parseInt(waiting.getOrDefault(queue, "0")))
                .sum();
    }

    /** The queue as it is now. What this turn has changed is known to this turn alone until it commits. */
    public QueueRow reread(QueueRow queue) {
        return remember(tx.first("queue-by-id", QueueRows::read, queue.id()).orElseThrow());
    }
}
