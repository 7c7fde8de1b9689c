package dev.leat.internal.memory;

import dev.leat.storage.Remembered;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finished entries: shown for the retention of their queue, then hidden while repeated settles and waiters may need them. Entries with the same
 * retention leave in the order in which they came, so each retention has a plain list and nothing is sorted.
 *
 * <p>At most {@value #MAX_ENTRIES} entries without an address are kept, and as many with an address. An addressed entry, whose outcome a caller
 * may wait for, is kept for ten minutes even above this limit.
 */
final class FinishedEntries {
    static final int MAX_ENTRIES = 10_000;
    private final Part plain = new Part(Remembered.SETTLES, Duration.ZERO);
    private final Part addressed = new Part(Remembered.OUTCOMES, Remembered.OUTCOMES);

    void add(Entry e) {
        part(e).add(e);
    }

    /** Hides the entries whose retention is over. */
    void hideOld(Instant now) {
        plain.hideOld(now);
        addressed.hideOld(now);
    }

    /** Removes and returns an entry that is not needed any more; null when there is none. */
    @Nullable
    Entry pollOld(Instant now) {
        Entry old = plain.pollOld(now);
        return old != null ? old : addressed.pollOld(now);
    }

    private Part part(Entry e) {
        return e.given.address().isPresent() ? addressed : plain;
    }

    /** The entries with an address, or those without: shown ones by their retention, then hidden ones. */
    private static final class Part {
        /** How long a hidden entry is kept, counted from its end. */
        private final Duration known;
        /** How long an entry is kept even if there are too many. */
        private final Duration keptInAnyCase;

        private final Map<Duration, EntryList> shown = new HashMap<>();
        private final EntryList hidden = new EntryList();
        private int size;

        Part(Duration known, Duration keptInAnyCase) {
            this.known = known;
            this.keptInAnyCase = keptInAnyCase;
        }

        void add(Entry e) {
            Duration retention = e.queue.options.retention().of(e.state);
            size++;
            if (retention.isZero()) {
                hide(e);
            } else {
                shown.computeIfAbsent(retention, t -> new EntryList()).append(e);
            }
        }

        void hideOld(Instant now) {
            for (Map.Entry<Duration, EntryList> list : shown.entrySet()) {
                EntryList entries = list.getValue();
                while (isOver(entries.head, list.getKey(), now)) {
                    hide(unlinkHead(entries));
                }
            }
        }

        private void hide(Entry e) {
            e.hidden = true;
            e.queue.count(e.state, -1);
            hidden.append(e);
        }

        @Nullable
        Entry pollOld(Instant now) {
            if (isOver(hidden.head, known, now)) {
                size--;
                return unlinkHead(hidden);
            }
            if (size <= MAX_ENTRIES) {
                return null;
            }
            EntryList fullest = hidden.isEmpty() ? oldestShown() : hidden;
            if (!isOver(fullest.head, keptInAnyCase, now)) {
                return null;
            }
            size--;
            Entry e = unlinkHead(fullest);
            if (!e.hidden) {
                e.hidden = true;
                e.queue.count(e.state, -1);
            }
            return e;
        }

        private EntryList oldestShown() {
            EntryList oldest = hidden;
            for (EntryList list : shown.values()) {
                if (list.head != null
                        && (oldest.head == null || finished(list.head).isBefore(finished(oldest.head)))) {
                    oldest = list;
                }
            }
            return oldest;
        }

        private static boolean isOver(@Nullable Entry e, Duration time, Instant now) {
            return e != null && !now.isBefore(finished(e).plus(time));
        }

        private static Entry unlinkHead(EntryList list) {
            Entry head = Objects.requireNonNull(list.head);
            list.remove(head);
            return head;
        }

        private static Instant finished(Entry e) {
            return Objects.requireNonNull(e.finished);
        }
    }
}
