package dev.leat.internal.memory;

import org.jspecify.annotations.Nullable;

/** A doubly linked list whose links are in the entries: to append and to remove need no memory and no search. */
class EntryList {
    @Nullable
    Entry head;

    @Nullable
    Entry tail;

    private int size;

    void append(Entry e) {
        e.list = this;
        e.prev = tail;
        e.next = null;
        if (tail == null) {
            head = e;
        } else {
            tail.next = e;
        }
        tail = e;
        size++;
    }

    void remove(Entry e) {
        Entry prev = e.prev;
        Entry next = e.next;
        if (prev == null) {
            head = next;
        } else {
            prev.next = next;
        }
        if (next == null) {
            tail = prev;
        } else {
            next.prev = prev;
        }
        e.list = null;
        e.prev = null;
        e.next = null;
        size--;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size() == 0;
    }
}
