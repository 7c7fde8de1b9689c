package dev.leat.internal;

import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.Registration;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.TaskEvent;
import dev.leat.TaskListener;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.queue.CallCounts;
import dev.leat.storage.Storage;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the task changes that one Leat makes, and notifies its listeners on the thread that made the change. Safe for use by many
 * threads.
 */
public final class Events {
    private static final Logger log = LoggerFactory.getLogger(Events.class);

    private final List<TaskListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, Map<TaskEvent.Kind, LongAdder>> calls = new ConcurrentHashMap<>();

    public Registration listen(TaskListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** The storage, with every task change that passes through it reported here. */
    public Storage around(Storage storage) {
        return new NotifyingStorage(storage, this);
    }

    void put(List<NewTask> tasks, List<PutResult> results) {
        for (int i = 0; i < results.size(); i++) {
            PutResult result = results.get(i);
            if (result.created()) {
                emit(TaskEvent.Kind.PUT, tasks.get(i).queue(), result.id(), result.state());
            }
        }
    }

    void taken(String queue, List<TakenTask> tasks) {
        for (TakenTask task : tasks) {
            emit(TaskEvent.Kind.TAKE, queue, task.id(), TaskState.TAKEN);
        }
    }

    void settled(List<Settle> settles, List<SettleResult> results) {
        for (int i = 0; i < results.size(); i++) {
            settled(settles.get(i), results.get(i));
        }
    }

    void settled(Settle settle, SettleResult result) {
        emit(TaskEvent.Kind.of(settle, result), result.queue(), settle.lease().taskId(), result.state());
    }

    void touched(List<Touch> touches, List<Touch.Result> results) {
        for (int i = 0; i < results.size(); i++) {
            Touch.Result result = results.get(i);
            if (result.status() == Touch.Result.Status.EXTENDED) {
                emit(
                        TaskEvent.Kind.TOUCH,
                        result.queue(),
                        touches.get(i).lease().taskId(),
                        TaskState.TAKEN);
            }
        }
    }

    void emit(List<TaskEvent> changes) {
        changes.forEach(this::emit);
    }

    void emit(TaskEvent change) {
        if (count(change.kind(), change.queue())) {
            notifyListeners(change);
        }
    }

    /** Makes no object while no listener is registered: a worker settles a million tasks in a second. */
    private void emit(TaskEvent.Kind kind, String queue, long taskId, TaskState state) {
        if (count(kind, queue)) {
            notifyListeners(new TaskEvent(kind, queue, taskId, state));
        }
    }

    /** Returns whether listeners have to be notified. */
    private boolean count(TaskEvent.Kind kind, String queue) {
        if (kind == TaskEvent.Kind.UNCHANGED) {
            return false;
        }
        counter(kind, queue).increment();
        return !listeners.isEmpty();
    }

    private void notifyListeners(TaskEvent change) {
        for (TaskListener listener : listeners) {
            try {
                listener.changed(change);
            } catch (RuntimeException e) {
                log.warn("A task listener failed on {}; the task is not affected", change, e);
            }
        }
    }

    public CallCounts calls(String queue) {
        Map<TaskEvent.Kind, Long> counts = new EnumMap<>(TaskEvent.Kind.class);
        calls.getOrDefault(queue, Map.of()).forEach((kind, count) -> counts.put(kind, count.sum()));
        return new CallCounts(counts);
    }

    private LongAdder counter(TaskEvent.Kind kind, String queue) {
        Map<TaskEvent.Kind, LongAdder> counters = calls.get(queue);
        if (counters == null) {
            counters = calls.computeIfAbsent(queue, q -> newCounters());
        }
        LongAdder counter = counters.get(kind);
        if (counter == null) {
            throw new IllegalStateException("The queue has no counter for " + kind);
        }
        return counter;
    }

    private static Map<TaskEvent.Kind, LongAdder> newCounters() {
        Map<TaskEvent.Kind, LongAdder> counters = new EnumMap<>(TaskEvent.Kind.class);
        for (TaskEvent.Kind kind : TaskEvent.Kind.values()) {
            counters.put(kind, new LongAdder());
        }
        return counters;
    }
}
