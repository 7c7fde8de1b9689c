package dev.leat.internal.memory;

import dev.leat.NewTask;
import dev.leat.Predecessor;
import dev.leat.Predecessor.Until;
import dev.leat.PutResult;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.QueueFullException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.EquivalenceHash;
import dev.leat.storage.Predecessors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts tasks: checks all tasks of a put before it makes any, and recognises tasks that exist already. */
final class Intake {
    private final QueueTable queues;
    private final MemoryGroups groups;
    private final EntryTable entries;
    private final EntryLifecycle lifecycle;
    private final PendingNotices notices;
    private final IdempotencyKeys idempotencyKeys = new IdempotencyKeys();
    private long lastId;

    Intake(
            QueueTable queues,
            MemoryGroups groups,
            EntryTable entries,
            EntryLifecycle lifecycle,
            PendingNotices notices) {
        this.queues = queues;
        this.groups = groups;
        this.entries = entries;
        this.lifecycle = lifecycle;
        this.notices = notices;
    }

    /** The largest id that a task has got. */
    long lastId() {
        return lastId;
    }

    /** Throws if any task of the put is refused, before anything is changed. */
    void check(List<NewTask> tasks, Instant now) {
        Predecessors.check(tasks);
        idempotencyKeys.check(tasks, now);
        MemoryQueue last = null;
        Map<MemoryQueue, Integer> wanted = new HashMap<>(0);
        Set<List<String>> namesInBatch = new HashSet<>(0);
        for (NewTask task : tasks) {
            MemoryQueue queue = last != null && last.name.equals(task.queue()) ? last : queues.find(task.queue());
            last = queue;
            if (task.group().isPresent()) {
                groups.findOpen(task.group().getAsLong());
                checkPredecessors(task, tasks, now);
            }
            if (queue.options.capacity() > 0 && willBeMade(queue, task, namesInBatch, now)) {
                int count = wanted.merge(queue, 1, Integer::sum);
                if (!queue.hasSpaceFor(count)) {
                    throw new QueueFullException(queue.name, queue.options.capacity());
                }
            }
        }
    }

    /** Predecessors must be in the group of the task. Those of the same put are, unless the put returns existing tasks for them. */
    private void checkPredecessors(NewTask task, List<NewTask> tasks, Instant now) {
        long group = task.group().orElseThrow();
        for (Predecessor before : task.after()) {
            if (before instanceof Predecessor.Known known) {
                checkInGroup(known.task(), entries.get(known.task()), group);
            } else if (before instanceof Predecessor.InPut other) {
                Entry there = alreadyThere(tasks.get(other.position()), now);
                if (there != null) {
                    checkInGroup(there.id, there, group);
                }
            }
        }
    }

    private static void checkInGroup(long id, @Nullable Entry entry, long group) {
        if (entry == null || entry.group == null || entry.group.id != group) {
            throw Predecessors.notInGroup(id, group);
        }
    }

    private @Nullable Entry alreadyThere(NewTask task, Instant now) {
        MemoryQueue queue = queues.find(task.queue());
        Entry existing = addressHolder(queue, task);
        if (existing == null && task.idempotencyKey().isPresent()) {
            existing = entries.get(idempotencyKeys.find(task, now));
        }
        return existing != null ? existing : equivalent(queue, task).orElse(null);
    }

    private boolean willBeMade(MemoryQueue queue, NewTask task, Set<List<String>> namesInBatch, Instant now) {
        boolean isNew = addressHolder(queue, task) == null
                && (task.idempotencyKey().isEmpty() || idempotencyKeys.find(task, now) == 0)
                && equivalent(queue, task).isEmpty();
        boolean firstOfAddress = task.address().isEmpty()
                || namesInBatch.add(
                        List.of("address", queue.name, task.address().get()));
        boolean firstOfKey = task.idempotencyKey().isEmpty()
                || namesInBatch.add(
                        List.of("idempotency", queue.name, task.idempotencyKey().get()));
        boolean firstOfEquivalents = task.unlessEquivalent().isEmpty()
                || namesInBatch.add(List.of("equivalent", queue.name, EquivalenceHash.of(task)));
        return isNew && firstOfAddress && firstOfKey && firstOfEquivalents;
    }

    private static Optional<Entry> equivalent(MemoryQueue queue, NewTask task) {
        return task.unlessEquivalent()
                .flatMap(equivalence -> queue.equivalentTo(equivalence).findFirst());
    }

    /** Puts tasks that {@link #check} has passed. */
    List<PutResult> putChecked(List<NewTask> tasks, Instant now) {
        List<PutResult> results = new ArrayList<>(tasks.size());
        for (NewTask task : tasks) {
            results.add(put(task, results, now));
        }
        return results;
    }

    /** @param before the results of the earlier tasks of the same put */
    PutResult put(NewTask task, List<PutResult> before, Instant now) {
        MemoryQueue queue = queues.find(task.queue());
        Entry existing = addressHolder(queue, task);
        if (existing != null) {
            return new PutResult(existing.id, false, existing.state);
        }
        if (task.idempotencyKey().isPresent()) {
            long id = idempotencyKeys.find(task, now);
            if (id != 0) {
                Entry known = entries.get(id);
                return new PutResult(id, false, known == null ? TaskState.DONE : known.state);
            }
        }
        Optional<Entry> equivalent = equivalent(queue, task);
        if (equivalent.isPresent()) {
            return new PutResult(equivalent.get().id, false, equivalent.get().state);
        }
        Entry e = add(queue, task, before, now);
        idempotencyKeys.remember(task, e, now);
        return new PutResult(e.id, true, e.state);
    }

    /** The live, unburied entry that has the address of the task. */
    static @Nullable Entry addressHolder(MemoryQueue queue, NewTask task) {
        Optional<String> address = task.address();
        return address.isEmpty() ? null : queue.addresses.get(address.get());
    }

    private Entry add(MemoryQueue queue, NewTask task, List<PutResult> resultsSoFar, Instant now) {
        MemoryGroup group = task.group().isPresent() ? groups.get(task.group().getAsLong()) : null;
        Map<Long, Until> ids = Predecessors.ids(task, i -> resultsSoFar.get(i).id());
        Map<Entry, Until> before = new LinkedHashMap<>();
        ids.forEach((id, until) -> Optional.ofNullable(entries.get(id)).ifPresent(entry -> before.put(entry, until)));
        NewTask known = ids.isEmpty() ? task : Predecessors.following(task, ids);
        Entry e = lifecycle.create(++lastId, queue, known, group, before, now);
        entries.add(e);
        return e;
    }

    /** Puts the task of a schedule, in a queue that is made if missing. An existing task is found as in any put. */
    PutResult putScheduled(NewTask task, Instant now) {
        ensure(task.queue());
        PutResult result = put(task, List.of(), now);
        if (result.created()) {
            notices.addEvent(new TaskEvent(TaskEvent.Kind.PUT, task.queue(), result.id(), result.state()));
        }
        return result;
    }

    private MemoryQueue ensure(String name) {
        MemoryQueue queue = queues.get(name);
        return queue != null ? queue : queues.add(name, QueueOptions.standard(), QueueInfo.SetBy.CODE);
    }

    /**
     * Puts an end, abort or dead task or a copy of a publication. The put is never refused: it ignores the capacity, makes a missing queue,
     * and leaves out a group that takes no tasks any more.
     */
    long putFollowUp(NewTask task, Instant now) {
        MemoryQueue queue = ensure(task.queue());
        Entry existing = addressHolder(queue, task);
        if (existing != null) {
            return existing.id;
        }
        MemoryGroup group = task.group().isPresent() ? groups.get(task.group().getAsLong()) : null;
        boolean mayJoin = group != null && group.takesTasks();
        Entry e = add(queue, mayJoin ? task : task.withoutGroup(), List.of(), now);
        notices.addEvent(TaskEvent.Kind.PUT, e);
        return e.id;
    }
}
