package dev.leat.internal.memory;

import dev.leat.storage.OperatorRules;
import dev.leat.storage.Reasons;
import dev.leat.TaskEvent;
import dev.leat.TaskState;
import dev.leat.error.QueueExistsException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.storage.Notice;
import dev.leat.storage.QueueStorage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queues of the memory storage. */
final class MemoryQueueStorage implements QueueStorage {
    private final UnderLock lock;
    private final QueueTable queues;
    private final EntryTable entries;
    private final EntryLifecycle lifecycle;
    private final PendingNotices notices;
    private final MemorySessionStorage sessions;

    MemoryQueueStorage(
            UnderLock lock,
            QueueTable queues,
            EntryTable entries,
            EntryLifecycle lifecycle,
            PendingNotices notices,
            MemorySessionStorage sessions) {
        this.lock = lock;
        this.queues = queues;
        this.entries = entries;
        this.lifecycle = lifecycle;
        this.notices = notices;
        this.sessions = sessions;
    }

    @Override
    public QueueInfo create(String queue, QueueOptions options) {
        return lock.call(now -> {
            if (queues.get(queue) != null) {
                throw new QueueExistsException(queue);
            }
            return queues.add(queue, options, QueueInfo.SetBy.CODE).info();
        });
    }

    @Override
    public QueueInfo declare(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return lock.call(now -> {
            MemoryQueue existing = queues.get(queue);
            if (existing == null) {
                return queues.add(queue, options, setBy).info();
            }
            boolean mayChange = OperatorRules.mayChange(existing.setBy, setBy);
            if (mayChange && !existing.options.equals(options)) {
                existing.change(options, entriesOf(existing, TaskState.TAKEN));
            }
            if (mayChange) {
                existing.setBy = setBy;
                notices.ready(existing);
            }
            return existing.info();
        });
    }

    @Override
    public Optional<QueueInfo> find(String queue) {
        return lock.call(now -> Optional.ofNullable(queues.get(queue)).map(MemoryQueue::info));
    }

    @Override
    public List<QueueInfo> list() {
        return lock.call(now -> queues.all().stream().map(MemoryQueue::info).toList());
    }

    @Override
    public void pause(String queue) {
        lock.call(now -> {
            queues.find(queue).paused = true;
            notices.add(new Notice.Paused(queue));
            return queue;
        });
    }

    @Override
    public void resume(String queue) {
        lock.call(now -> {
            MemoryQueue q = queues.find(queue);
            q.paused = false;
            notices.ready(q);
            return queue;
        });
    }

    @Override
    public void drop(String queue) {
        lock.call(now -> {
            MemoryQueue q = queues.find(queue);
            OperatorRules.checkMayDrop(queue, q.count(TaskState.TAKEN), sessions.consumers(queue));
            // The queue is removed first, so that a group that ends by this puts its closing task into a new queue.
            queues.remove(queue);
            dropTasks(q, Reasons.QUEUE_DROPPED, now);
            return queue;
        });
    }

    @Override
    public long truncate(String queue) {
        return lock.call(now -> dropTasks(queues.find(queue), Reasons.QUEUE_TRUNCATED, now));
    }

    private long dropTasks(MemoryQueue queue, String why, Instant now) {
        long dropped = 0;
        for (Entry e : entriesOf(queue, null)) {
            if (e.state.isLive()) {
                lifecycle.drop(e, TaskState.CANCELED, why, now);
                notices.addEvent(TaskEvent.Kind.DELETE, e);
                dropped++;
            }
        }
        return dropped;
    }

    @Override
    public long releaseAll(String queue) {
        return lock.call(now -> {
            List<Entry> taken = entriesOf(queues.find(queue), TaskState.TAKEN);
            for (Entry e : taken) {
                lifecycle.revoke(e, now);
                notices.addEvent(TaskEvent.Kind.RELEASE, e);
            }
            return (long) taken.size();
        });
    }

    @Override
    public List<QueueStats> stats() {
        return lock.call(now -> queues.all().stream()
                .map(q -> q.stats(sessions.consumers(q.name)))
                .toList());
    }

    @Override
    public QueueStats stats(String queue) {
        return lock.call(now -> queues.find(queue).stats(sessions.consumers(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        record Owner(Optional<String> tenant, Optional<String> businessGroup) {}
        return lock.call(now -> {
            Map<Owner, Map<TaskState, Long>> counts = new HashMap<>();
            for (Entry e : entriesOf(queues.find(queue), null)) {
                if (!e.hidden) {
                    Owner owner = new Owner(e.given.tenant(), e.given.businessGroup());
                    counts.computeIfAbsent(owner, o -> new EnumMap<>(TaskState.class))
                            .merge(e.state, 1L, Long::sum);
                }
            }
            List<TenantStats> stats = new ArrayList<>();
            counts.forEach(
                    (owner, byState) -> stats.add(new TenantStats(owner.tenant, owner.businessGroup, byState, true)));
            stats.sort(TenantStats.ORDER);
            return stats;
        });
    }

    private List<Entry> entriesOf(MemoryQueue queue, @Nullable TaskState state) {
        List<Entry> found = new ArrayList<>();
        entries.forEach(e -> {
            if (e.queue == queue && (state == null || e.state == state)) {
                found.add(e);
            }
        });
        found.sort(Comparator.comparingLong(e -> e.id));
        return found;
    }
}
