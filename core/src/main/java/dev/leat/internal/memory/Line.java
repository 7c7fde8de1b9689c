package dev.leat.internal.memory;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries in order. Entries that come in ascending order, as fresh puts do, are appended to a linked list. Entries that return to an earlier
 * place go into a tree. So the common case needs no memory and one comparison.
 */
final class Line extends EntryList {
    /** By priority, then by the order of puts. */
    static final Comparator<Entry> BY_PRIORITY =
            (a, b) -> a.priority != b.priority ? Integer.compare(a.priority, b.priority) : Long.compare(a.id, b.id);

    private final Comparator<Entry> order;
    private final TreeSet<Entry> returned;

    Line(Comparator<Entry> order) {
        this.order = order;
        this.returned = new TreeSet<>(order);
    }

    void add(Entry e) {
        if (tail == null || order.compare(tail, e) < 0) {
            append(e);
        } else {
            e.list = this;
            returned.add(e);
        }
    }

    @Override
    void remove(Entry e) {
        if (!returned.isEmpty() && returned.remove(e)) {
            e.list = null;
        } else {
            super.remove(e);
        }
    }

    @Nullable
    Entry first() {
        if (returned.isEmpty()) {
            return head;
        }
        Entry back = returned.first();
        return head == null || order.compare(back, head) < 0 ? back : head;
    }

    @Nullable
    Entry last() {
        if (returned.isEmpty()) {
            return tail;
        }
        Entry back = returned.last();
        return tail == null || order.compare(back, tail) > 0 ? back : tail;
    }

    /** Visits all entries, in no order. */
    void forEach(Consumer<Entry> use) {
        for (Entry e = head; e != null; e = e.next) {
            use.accept(e);
        }
        returned.forEach(use);
    }

    @Override
    int size() {
        return super.size() + returned.size();
    }
}
