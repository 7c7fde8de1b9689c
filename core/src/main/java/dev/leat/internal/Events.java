package dev.leat.internal;

import dev.leat.Registration;
import dev.leat.TaskEvent;
import dev.leat.TaskListener;
import dev.leat.TaskState;
import dev.leat.queue.CallCounts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what this process does to tasks, and tells its listeners. Safe from any thread. */
public final class Events {
    private static final Logger log = LoggerFactory.getLogger(Events.class);

    private final List<TaskListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, Map<TaskEvent.Kind, LongAdder>> calls = new ConcurrentHashMap<>();

    public Registration listen(TaskListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    public void tell(List<TaskEvent> events) {
        for (TaskEvent event : events) {
            tell(event.kind(), event.queue(), event.taskId(), event.state());
        }
    }

    public void tell(TaskEvent.Kind kind, String queue, long taskId, TaskState state) {
        if (kind == TaskEvent.Kind.UNCHANGED) {
            return;
        }
        counter(kind, queue).increment();
        if (listeners.isEmpty()) {
            return;
        }
        TaskEvent event = new TaskEvent(kind, queue, taskId, state);
        for (TaskListener listener : listeners) {
            try {
                listener.changed(event);
            } catch (RuntimeException e) {
                log.warn("A task listener failed on {}; the task is not affected", event, e);
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
            throw new IllegalStateException("no counter for " + kind);
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
