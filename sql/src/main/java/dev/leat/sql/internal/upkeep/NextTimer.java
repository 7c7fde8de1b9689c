package dev.leat.sql.internal.upkeep;

import dev.leat.TaskEvent;
import dev.leat.storage.Remembered;
import java.util.ArrayList;
import java.util.List;

/**
 * The next timer, as the sweeper of this process knows it, and the task changes that the next sweep returns. Safe from any thread.
 */
public final class NextTimer {
    private final List<TaskEvent> untold = new ArrayList<>();
    private long next = Long.MAX_VALUE;
    private long moves;

    /** How often the next timer was moved. Read this before the timer that is passed to {@link #promise}. */
    public synchronized long moves() {
        return moves;
    }

    /**
     * Sets the timer for which the sweeper waits; 0 is none. From now on, {@link #isEarlier} is true for earlier timers. An earlier timer that was
     * set after {@code moves} was read stays, because the sweeper may not have seen it.
     */
    public synchronized void promise(long at, long moves) {
        long promised = at == 0 ? Long.MAX_VALUE : at;
        next = this.moves == moves ? promised : Math.min(next, promised);
    }

    /** Called when a timer was set. Returns whether the sweeper has to be notified, because it waits for a later timer. */
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

    /** The next timer; {@link Long#MAX_VALUE} for none. */
    public synchronized long next() {
        return next;
    }

    /** Keeps events for the next sweep, and returns whether there are any. */
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
