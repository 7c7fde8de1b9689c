package dev.leat.internal.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finished entries, for as long as they are kept. Those kept for the same time leave in the order they came, so each
 * time has a plain list and nothing is sorted.
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

    private final Map<Duration, EntryList> plain = new HashMap<>();
    private final Map<Duration, EntryList> addressed = new HashMap<>();
    private int plainSize;

    void add(Entry e) {
        boolean hasAddress = e.given.address().isPresent();
        Duration time = longer(e.queue.options.retention().of(e.state), hasAddress ? OUTCOMES_KNOWN : SETTLES_KNOWN);
        (hasAddress ? addressed : plain)
                .computeIfAbsent(time, t -> new EntryList())
                .append(e);
        if (!hasAddress) {
            plainSize++;
        }
    }

    /** Whether people may still see the entry. */
    static boolean isVisible(Entry e, Instant now) {
        return e.finished == null
                || now.isBefore(e.finished.plus(e.queue.options.retention().of(e.state)));
    }

    /** Removes and returns an entry that need not be kept any more; null when there is none. */
    @Nullable
    Entry pollOld(Instant now) {
        Entry old = plainSize > MAX_ENTRIES ? oldest() : overdue(plain, now);
        if (old != null) {
            plainSize--;
            return unlink(old);
        }
        old = overdue(addressed, now);
        return old == null ? null : unlink(old);
    }

    private static Entry unlink(Entry e) {
        if (e.list != null) {
            e.list.remove(e);
        }
        return e;
    }

    private @Nullable Entry oldest() {
        Entry oldest = null;
        for (EntryList list : plain.values()) {
            Entry head = list.head;
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

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
