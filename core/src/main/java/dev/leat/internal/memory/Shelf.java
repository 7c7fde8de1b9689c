package dev.leat.internal.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finished entries: shown for the retention of their queue, then hidden but known until nobody can need them any more.
 * Those kept for the same time leave in the order they came, so each time has a plain list and nothing is sorted.
 *
 * <p>At most {@value #MAX_ENTRIES} entries are kept, whatever their time; addressed ones, whose outcome somebody may
 * wait for, are not counted and stay their whole time.
 */
final class Shelf {
    static final int MAX_ENTRIES = 10_000;
    /** A settle that is repeated within this time is recognised, even where the queue forgets finished tasks at once. */
    private static final Duration SETTLES_KNOWN = Duration.ofMinutes(5);
    /** Somebody who waits for an address learns the outcome within this time. */
    private static final Duration OUTCOMES_KNOWN = Duration.ofMinutes(10);

    private final Map<Duration, EntryList> shown = new HashMap<>();
    private final Map<Duration, EntryList> hidden = new HashMap<>();
    private final Map<Duration, EntryList> hiddenAddressed = new HashMap<>();
    private int counted;

    void add(Entry e) {
        Duration retention = e.queue.options.retention().of(e.state);
        if (!isAddressed(e)) {
            counted++;
        }
        if (retention.isZero()) {
            hide(e);
        } else {
            list(shown, retention).append(e);
        }
    }

    /** Hides what has been shown for its whole retention. */
    void hideOld(Instant now) {
        for (Entry e = overdue(shown, now); e != null; e = overdue(shown, now)) {
            unlink(e);
            hide(e);
        }
    }

    private void hide(Entry e) {
        e.hidden = true;
        e.queue.count(e.state, -1);
        if (isAddressed(e)) {
            list(hiddenAddressed, OUTCOMES_KNOWN).append(e);
        } else {
            list(hidden, SETTLES_KNOWN).append(e);
        }
    }

    /** Removes and returns an entry that need not be known any more; null when there is none. */
    @Nullable
    Entry pollOld(Instant now) {
        Entry old = overdue(hidden, now);
        if (old == null) {
            old = overdue(hiddenAddressed, now);
        }
        if (old == null && counted > MAX_ENTRIES) {
            old = oldest();
        }
        if (old != null) {
            forget(old);
        }
        return old;
    }

    private void forget(Entry e) {
        unlink(e);
        if (!isAddressed(e)) {
            counted--;
        }
        if (!e.hidden) {
            e.hidden = true;
            e.queue.count(e.state, -1);
        }
    }

    private static boolean isAddressed(Entry e) {
        return e.given.address().isPresent();
    }

    private static EntryList list(Map<Duration, EntryList> lists, Duration time) {
        return lists.computeIfAbsent(time, t -> new EntryList());
    }

    private static void unlink(Entry e) {
        if (e.list != null) {
            e.list.remove(e);
        }
    }

    /** The entry to forget for lack of space: a hidden one if there is any, else the one that finished first. */
    private @Nullable Entry oldest() {
        for (EntryList list : hidden.values()) {
            if (list.head != null) {
                return list.head;
            }
        }
        Entry oldest = null;
        for (EntryList list : shown.values()) {
            Entry head = list.head;
            while (head != null && isAddressed(head)) {
                head = head.next;
            }
            if (head != null && (oldest == null || finished(head).isBefore(finished(oldest)))) {
                oldest = head;
            }
        }
        return oldest;
    }

    private static @Nullable Entry overdue(Map<Duration, EntryList> lists, Instant now) {
        for (Map.Entry<Duration, EntryList> list : lists.entrySet()) {
            Entry head = list.getValue().head;
            if (head != null && !now.isBefore(finished(head).plus(list.getKey()))) {
                return head;
            }
        }
        return null;
    }

    private static Instant finished(Entry e) {
        return e.finished == null ? Instant.MIN : e.finished;
    }
}
