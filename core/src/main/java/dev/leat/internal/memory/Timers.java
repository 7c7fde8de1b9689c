package dev.leat.internal.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The next moment of every entry that time will change. Entries that time leaves alone are not here. */
final class Timers {
    private final TreeSet<Entry> entries =
            new TreeSet<>(Comparator.comparing((Entry e) -> e.timerAt == null ? Instant.MAX : e.timerAt)
                    .thenComparingLong(e -> e.id));

    /** Sets, moves or removes the entry's next moment. */
    void set(Entry e, @Nullable Instant at) {
        if (e.timerAt != null) {
            entries.remove(e);
        }
        e.timerAt = at;
        if (at != null) {
            entries.add(e);
        }
    }

    /** The moment of the entry that time changes next; null when there is none. */
    @Nullable
    Instant next() {
        return entries.isEmpty() ? null : entries.first().timerAt;
    }

    /** The entry whose moment has come first, if it has come by {@code now}. */
    @Nullable
    Entry due(Instant now) {
        if (entries.isEmpty()) {
            return null;
        }
        Entry first = entries.first();
        return first.timerAt == null || first.timerAt.isAfter(now) ? null : first;
    }
}
