package dev.leat.wire;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The tasks of a connection whose ends are awaited. Above the limit, the oldest entries are dropped: their waiters find out when they ask
 * again. Safe for use by many threads.
 */
public final class WatchedTasks {
    /** The limit for one connection. */
    public static final int MOST = 10_000;

    private final Set<Long> tasks = new LinkedHashSet<>();

    public synchronized void add(Set<Long> taskIds) {
        tasks.removeAll(taskIds);
        tasks.addAll(taskIds);
        Iterator<Long> eldest = tasks.iterator();
        while (tasks.size() > MOST) {
            eldest.next();
            eldest.remove();
        }
    }

    /** Returns whether the task was watched. */
    public synchronized boolean remove(long taskId) {
        return tasks.remove(taskId);
    }

    /** Removes and returns all tasks. */
    public synchronized List<Long> removeAll() {
        List<Long> all = List.copyOf(tasks);
        tasks.clear();
        return all;
    }
}
