package dev.leat.sql.internal.operation;

import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Predecessor.Until;
import dev.leat.PutResult;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.IdempotencyKeyReusedException;
import dev.leat.error.QueueFullException;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.work.Equivalents;
import dev.leat.sql.internal.work.TaskCounts;
import dev.leat.sql.internal.work.TaskInserts;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.GroupPut;
import dev.leat.storage.Predecessors;
import dev.leat.storage.Remembered;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Puts tasks, within one unit of work. Whatever refuses one of them refuses all, since the transaction is rolled back. */
public final class Puts {
    private static final long IDEMPOTENCY_KNOWN = Times.micros(Remembered.IDEMPOTENCY_KEYS);

    private final UnitOfWork unit;
    private final Tx tx;
    private final TaskInserts inserts;
    private final Equivalents equivalents;
    private final Set<QueueRow> filled = new HashSet<>(2);

    public Puts(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
        this.inserts = new TaskInserts(unit);
        this.equivalents = new Equivalents(unit);
    }

    /** Makes a group, puts the tasks into it and starts it. */
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        long group = unit.groups.createStarted(spec);
        List<PutResult> put =
                put(tasks.stream().map(task -> task.inGroup(group)).toList());
        unit.tasks.flush();
        return new GroupPut(unit.groups.info(group).orElseThrow(), put);
    }

    public List<PutResult> put(List<NewTask> tasks) {
        Predecessors.check(tasks);
        tasks.stream()
                .map(task -> unit.queues.get(task.queue()))
                .filter(queue -> queue.options().capacity() > 0)
                .distinct()
                .sorted(Comparator.comparingLong(QueueRow::id))
                .forEach(queue -> tx.first("lock-queue", row -> 1, queue.id()));
        equivalents.hold(tasks);
        unit.tasks.reserveIds(tasks.size());
        long[] ids = rememberNew(tasks);
        List<PutResult> results = new ArrayList<>(tasks.size());
        for (int i = 0; i < ids.length; i++) {
            results.add(put(tasks.get(i), ids[i], results));
        }
        filled.forEach(this::checkCapacity);
        return results;
    }

    /**
     * Remembers the idempotency keys of all tasks at once, with the ids that these get then; 0 for a task without a key, or
     * whose key or address may be known already, or that may do what another does.
     */
    private long[] rememberNew(List<NewTask> tasks) {
        long[] ids = new long[tasks.size()];
        List<Integer> places = new ArrayList<>();
        Tx.Batch keys = tx.batch("insert-new-idempotency");
        for (int i = 0; i < ids.length; i++) {
            NewTask task = tasks.get(i);
            if (task.idempotencyKey().isPresent()
                    && task.address().isEmpty()
                    && task.unlessEquivalent().isEmpty()) {
                ids[i] = unit.tasks.newId();
                places.add(i);
                keys.add(
                        unit.queues.get(task.queue()).id(),
                        task.idempotencyKey().get(),
                        ids[i],
                        unit.now + IDEMPOTENCY_KNOWN,
                        task.fingerprint().orElse(null));
            }
        }
        int[] inserted = keys.counts();
        for (int i = 0; i < inserted.length; i++) {
            int place = places.get(i);
            boolean isNew =
                    inserted[i] == Statement.SUCCESS_NO_INFO ? known(tasks.get(place)) == ids[place] : inserted[i] == 1;
            ids[place] = isNew ? ids[place] : 0;
        }
        return ids;
    }

    /** The id of the task that was put with the same idempotency key; 0 for none. Refuses a key that was used for something else. */
    private long known(NewTask task) {
        if (task.idempotencyKey().isEmpty()) {
            return 0;
        }
        record Known(long id, Optional<String> fingerprint) {}
        Optional<Known> known = tx.first(
                "find-idempotency",
                row -> new Known(row.getLong(1), Optional.ofNullable(row.getString(2))),
                unit.queues.get(task.queue()).id(),
                task.idempotencyKey().get(),
                unit.now);
        known.ifPresent(found -> IdempotencyKeyReusedException.check(task, found.fingerprint));
        return known.map(Known::id).orElse(0L);
    }

    /**
     * @param id what it gets, its key being remembered already; 0 if that is to be found out
     * @param sofar what was put before by the same call
     */
    private PutResult put(NewTask task, long id, List<PutResult> sofar) {
        QueueRow queue = unit.queues.get(task.queue());
        if (task.group().isPresent()) {
            unit.groups.openForPut(task.group().getAsLong());
        }
        Optional<PutResult> existing = id != 0 ? Optional.empty() : existing(queue, task);
        if (existing.isPresent()) {
            return existing.get();
        }
        Map<Long, Until> before =
                Predecessors.ids(task, position -> sofar.get(position).id());
        TaskRow row = inserts.add(queue, task, id == 0 ? unit.tasks.newId() : id, before);
        if (id == 0) {
            task.idempotencyKey().ifPresent(key -> remember(queue, key, row, task));
        }
        if (queue.options().capacity() > 0) {
            filled.add(queue);
        }
        return new PutResult(row.id, true, row.state.task);
    }

    /**
     * The task that has the address, or was put with the same idempotency key before, even one that nobody keeps any more; or one that does
     * what this is not to do again.
     */
    private Optional<PutResult> existing(QueueRow queue, NewTask task) {
        long ofKey = known(task); // first: it may refuse the task, whatever its address
        TaskRow holder = task.address().isEmpty()
                ? null
                : inserts.holder(queue, task.address().get());
        long known = holder != null ? holder.id : ofKey;
        if (known == 0) {
            return task.unlessEquivalent()
                    .flatMap(equivalence -> equivalents.find(equivalence).findFirst())
                    .map(row -> new PutResult(row.id, false, row.state.task));
        }
        TaskRow row = unit.tasks.find(known);
        return Optional.of(new PutResult(known, false, row == null ? TaskState.DONE : row.state.task));
    }

    /** Whether others who have not committed can keep the put from knowing if a task is one too many. */
    public static boolean mayBeInDoubt(List<NewTask> tasks) {
        return tasks.stream().anyMatch(task -> task.unlessEquivalent().isPresent());
    }

    private void remember(QueueRow queue, String key, TaskRow row, NewTask task) {
        tx.update("forget-idempotency", queue.id(), key, unit.now);
        tx.update(
                "insert-idempotency",
                queue.id(),
                key,
                row.id,
                unit.now + IDEMPOTENCY_KNOWN,
                task.fingerprint().orElse(null));
    }

    private void checkCapacity(QueueRow queue) {
        int capacity = queue.options().capacity();
        unit.tasks.flush();
        if (new TaskCounts(unit).live(queue, capacity + 1) > capacity) {
            throw new QueueFullException(queue.name(), capacity);
        }
    }

    /** Puts the tasks of schedules, which nothing may refuse either; but none that is there already. */
    List<PutResult> putScheduled(List<NewTask> tasks) {
        tasks.forEach(task -> inserts.ensure(task.queue()));
        unit.tasks.reserveIds(tasks.size());
        long[] ids = rememberNew(tasks);
        List<PutResult> results = new ArrayList<>(tasks.size());
        for (int i = 0; i < ids.length; i++) {
            NewTask task = tasks.get(i);
            PutResult result = put(task, ids[i], results);
            if (result.created()) {
                unit.tellLater(new TaskEvent(TaskEvent.Kind.PUT, task.queue(), result.id(), result.state()));
            }
            results.add(result);
        }
        return results;
    }
}
