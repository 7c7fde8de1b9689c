package dev.leat.internal.memory;

import dev.leat.TaskEvent;
import dev.leat.storage.Notice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What others are to hear of the operation that runs now: notices, sent when the lock is given back, and changes that no
 * call answers for, told by the next sweep. Guarded by the storage's lock.
 */
final class PendingNotices {
    /** Events that nobody sweeps up are lost past this many. */
    private static final int MAX_UNTOLD = 10_000;

    private final List<MemoryQueue> ready = new ArrayList<>();
    private final List<Notice> others = new ArrayList<>();
    private final List<TaskEvent> untold = new ArrayList<>();
    private @Nullable Instant nextTold;

    static TaskEvent event(TaskEvent.Kind kind, Entry e) {
        return new TaskEvent(kind, e.queue.name, e.id, e.state);
    }

    /** A task, a place or a key became free in the queue. */
    void ready(MemoryQueue queue) {
        if (!queue.noticeOwed) {
            queue.noticeOwed = true;
            ready.add(queue);
        }
    }

    void add(Notice notice) {
        others.add(notice);
    }

    /** A change that no call answers for. */
    void tellLater(TaskEvent.Kind kind, Entry e) {
        tellLater(event(kind, e));
    }

    void tellLater(TaskEvent event) {
        if (untold.size() < MAX_UNTOLD) {
            untold.add(event);
        }
    }

    /** Hands over the events for a sweep, which also tells when time changes something next. */
    List<TaskEvent> drainEvents(@Nullable Instant next) {
        List<TaskEvent> events = List.copyOf(untold);
        untold.clear();
        nextTold = next;
        return events;
    }

    /** The notices to send, now that time changes something at {@code next}. */
    List<Notice> drainNotices(@Nullable Instant next) {
        boolean sooner = next != null && (nextTold == null || next.isBefore(nextTold));
        if (sooner) {
            nextTold = next;
        }
        boolean sweepWanted = sooner || !untold.isEmpty();
        if (!sweepWanted && ready.isEmpty() && others.isEmpty()) {
            return List.of();
        }
        List<Notice> notices = new ArrayList<>(others);
        others.clear();
        for (MemoryQueue queue : ready) {
            queue.noticeOwed = false;
            notices.add(queue.readyNotice);
        }
        ready.clear();
        if (sweepWanted) {
            notices.add(Notice.TimerMoved.INSTANCE);
        }
        return notices;
    }
}
