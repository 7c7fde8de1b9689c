package dev.leat.internal.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finished entries: shown for the retention of their queue, then hidden but known until nobody can need them any more.
 * Those kept for the same time leave in the order they came, so each time has a plain list and nothing is sorted.
 *
 * <p>At most {@value #MAX_ENTRIES} entries are kept, whatever their time, and as many addressed ones; but an addressed
 * one, whose outcome somebody may wait for, is kept for ten minutes in any case.
 */
final class FinishedEntries {
    static final int MAX_ENTRIES = 10_000;
    /** A settle that is repeated within this time is recognised, even where the queue forgets finished tasks at once. */
    private static final Duration SETTLES_KNOWN = Duration.ofMinutes(5);
    /** Somebody who waits for an address learns the outcome within this time. */
    private static final Duration OUTCOMES_KNOWN = Duration.ofMinutes(10);

    private final Board plain = new Board(SETTLES_KNOWN, Duration.ZERO);
    private final Board addressed = new Board(OUTCOMES_KNOWN, OUTCOMES_KNOWN);

    void add(Entry e) {
        board(e).add(e);
    }

    /** Hides what has been shown for its whole retention. */
    void hideOld(Instant now) {
        plain.hideOld(now);
        addressed.hideOld(now);
    }

    /** Removes and returns an entry that need not be known any more; null when there is none. */
    @Nullable
    Entry pollOld(Instant now) {
        Entry old = plain.pollOld(now);
        return old != null ? old : addressed.pollOld(now);
    }

    private Board board(Entry e) {
        return e.given.address().isPresent() ? addressed : plain;
    }

    /** One kind of finished entries, by how long they are shown, and then hidden. */
    private static final class Board {
        private final Duration known;
        private final Duration keptInAnyCase;
        private final Map<Duration, EntryList> shown = new HashMap<>();
        private final EntryList hidden = new EntryList();
        private int size;

        Board(Duration known, Duration keptInAnyCase) {
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
