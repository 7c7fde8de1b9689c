package dev.leat.internal.memory;

import dev.leat.TaskEvent;
import dev.leat.storage.Notice;
import dev.leat.storage.Remembered;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The notices of the current operation, sent after the lock is released, and the task changes that no call returns, kept for the next sweep.
 * Guarded by the storage's lock.
 */
final class PendingNotices {
    private final List<MemoryQueue> ready = new ArrayList<>();
    private final List<Notice> others = new ArrayList<>();
    private final List<TaskEvent> events = new ArrayList<>();
    /** The next timer as the sweeper knows it. */
    private @Nullable Instant knownTimer;

    static TaskEvent event(TaskEvent.Kind kind, Entry e) {
        return new TaskEvent(kind, e.queue.name, e.id, e.state);
    }

    /** A task, a key or space became free in the queue. */
    void ready(MemoryQueue queue) {
        if (!queue.hasPendingNotice) {
            queue.hasPendingNotice = true;
            ready.add(queue);
        }
    }

    void add(Notice notice) {
        others.add(notice);
    }

    /** Keeps a change that no call returns. */
    void addEvent(TaskEvent.Kind kind, Entry e) {
        addEvent(event(kind, e));
    }

    void addEvent(TaskEvent event) {
        if (events.size() < Remembered.EVENTS_FOR_SWEEP) {
            events.add(event);
        }
    }

    /**
     * Removes and returns the events, for a sweep.
     *
     * @param next the next timer, which the sweep returns too
     */
    List<TaskEvent> drainEvents(@Nullable Instant next) {
        List<TaskEvent> drained = List.copyOf(events);
        events.clear();
        knownTimer = next;
        return drained;
    }

    /**
     * Removes and returns the notices to send.
     *
     * @param next the next timer
     */
    List<Notice> drainNotices(@Nullable Instant next) {
        boolean sooner = next != null && (knownTimer == null || next.isBefore(knownTimer));
        if (sooner) {
            knownTimer = next;
        }
        boolean sweepWanted = sooner || !events.isEmpty();
        if (!sweepWanted && ready.isEmpty() && others.isEmpty()) {
            return List.of();
        }
        List<Notice> notices = new ArrayList<>(others);
        others.clear();
        for (MemoryQueue queue : ready) {
            queue.hasPendingNotice = false;
            notices.add(queue.readyNotice);
        }
        ready.clear();
        if (sweepWanted) {
            notices.add(Notice.TimerMoved.INSTANCE);
        }
        return notices;
    }
}
