package dev.leat.sql.internal.upkeep;

import dev.leat.TaskEvent;
import dev.leat.storage.Remembered;
import java.util.ArrayList;
import java.util.List;

/**
 * What this process's sweeper knows of the time to come: when time changes something next, as it was told last, and what has
 * happened in passing since its last sweep. Safe from any thread.
 */
public final class NextTimer {
    private final List<TaskEvent> untold = new ArrayList<>();
    private long next = Long.MAX_VALUE;
    private long moves;

    /** How often the next moment was moved; to be asked before {@link #promise}'s moment is read. */
    public synchronized long moves() {
        return moves;
    }

    /**
     * From now on, whoever sets a timer earlier than {@code at} must tell; 0 is never. One that was set since {@code moves}
     * may not have been seen, and stays.
     */
    public synchronized void promise(long at, long moves) {
        long promised = at == 0 ? Long.MAX_VALUE : at;
        next = this.moves == moves ? promised : Math.min(next, promised);
    }

    /** A timer was set: answers whether the sweeper must be told, because it sleeps for longer. */
    public synchronized boolean isEarlier(long at) {
        boolean earlier = at < next;
        if (earlier) {
            next = at;
            moves++;
        }
        return earlier;
    }

    public synchronized boolean isDue(long now) {
        return next <= now;
    }

    /** When time changes something next; {@link Long#MAX_VALUE} for never. */
    public synchronized long next() {
        return next;
    }

    /** Keeps events for the next sweep: answers whether there are any. */
    public synchronized boolean keep(List<TaskEvent> events) {
        int space = Remembered.EVENTS_FOR_SWEEP - untold.size();
        untold.addAll(events.size() <= space ? events : events.subList(0, space));
        return !untold.isEmpty();
    }

    public synchronized List<TaskEvent> takeUntold() {
        List<TaskEvent> events = List.copyOf(untold);
        untold.clear();
        return events;
    }
}
