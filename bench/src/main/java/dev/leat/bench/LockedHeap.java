package dev.leat.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/** The least that deserves to be called a task queue, as a baseline: a heap, a map of what is taken, and a lock. */
final class LockedHeap {
    record Item(int priority, long id, byte[] payload) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Item> ready =
            new PriorityQueue<>(Comparator.comparingInt(Item::priority).thenComparingLong(Item::id));
    private final Map<Long, Item> taken = new HashMap<>();
    private long lastId;

    void put(List<byte[]> payloads) {
        lock.lock();
        try {
            for (byte[] payload : payloads) {
                ready.add(new Item(0, ++lastId, payload));
            }
        } finally {
            lock.unlock();
        }
    }

    List<Item> take(int count) {
        lock.lock();
        try {
            List<Item> items = new ArrayList<>(count);
            for (Item item = ready.poll(); item != null; item = items.size() < count ? ready.poll() : null) {
                taken.put(item.id, item);
                items.add(item);
            }
            return items;
        } finally {
            lock.unlock();
        }
    }

    void ack(List<Item> items) {
        lock.lock();
        try {
            for (Item item : items) {
                taken.remove(item.id);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Puts, takes and acknowledges {@code tasks} in batches, behind a backlog. */
    static long cycle(int tasks, int batch) {
        LockedHeap heap = new LockedHeap();
        heap.put(Work.payloads(Work.BACKLOG));
        long start = System.nanoTime();
        for (int done = 0; done < tasks; done += batch) {
            heap.put(Work.payloads(batch));
            heap.ack(heap.take(batch));
        }
        return System.nanoTime() - start;
    }
}
