package dev.leat.internal.memory;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Entries by id. Ids ascend, so their low bits are a hash that spreads them evenly over the buckets. */
final class EntryTable {
    private static final int SMALLEST = 1 << 10;

    private @Nullable Entry[] buckets = new Entry[SMALLEST];
    private int size;

    @Nullable
    Entry get(long id) {
        Entry e = buckets[bucket(id)];
        while (e != null && e.id != id) {
            e = e.hashNext;
        }
        return e;
    }

    void add(Entry e) {
        if (size == buckets.length) {
            resize(buckets.length * 2);
        }
        link(e);
        size++;
    }

    void remove(Entry e) {
        int bucket = bucket(e.id);
        Entry at = buckets[bucket];
        if (at == e) {
            buckets[bucket] = e.hashNext;
        } else {
            while (at != null && at.hashNext != e) {
                at = at.hashNext;
            }
            if (at != null) {
                at.hashNext = e.hashNext;
            }
        }
        e.hashNext = null;
        size--;
        if (size < buckets.length / 8 && buckets.length > SMALLEST) {
            resize(buckets.length / 2);
        }
    }

    /** Visits all entries, in no order. The action must not add or remove entries. */
    void forEach(Consumer<Entry> action) {
        for (Entry e : buckets) {
            for (Entry at = e; at != null; at = at.hashNext) {
                action.accept(at);
            }
        }
    }

    private int bucket(long id) {
        return (int) id & (buckets.length - 1);
    }

    private void link(Entry e) {
        int bucket = bucket(e.id);
        e.hashNext = buckets[bucket];
        buckets[bucket] = e;
    }

    private void resize(int length) {
        @Nullable Entry[] old = buckets;
        buckets = new Entry[length];
        for (Entry e : old) {
            while (e != null) {
                Entry next = e.hashNext;
                link(e);
                e = next;
            }
        }
    }
}
