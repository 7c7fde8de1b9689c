package dev.leat.internal.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The entries with a timer, in the order of their timers. */
final class Timers {
    private final TreeSet<Entry> entries =
            new TreeSet<>(Comparator.comparing((Entry e) -> e.timerAt == null ? Instant.MAX : e.timerAt)
                    .thenComparingLong(e -> e.id));

    /** Sets, moves or removes the timer of an entry. */
    void set(Entry e, @Nullable Instant at) {
        if (e.timerAt != null) {
            entries.remove(e);
        }
        e.timerAt = at;
        if (at != null) {
            entries.add(e);
        }
    }

    /** The earliest timer; null when there is none. */
    @Nullable
    Instant next() {
        return entries.isEmpty() ? null : entries.first().timerAt;
    }

    /** The entry with the earliest timer that is due; null if none is due. */
    @Nullable
    Entry due(Instant now) {
        if (entries.isEmpty()) {
            return null;
        }
        Entry first = entries.first();
        return first.timerAt == null || first.timerAt.isAfter(now) ? null : first;
    }
}
