package dev.leat.wire;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The tasks that one end of a connection has asked for and wants news of. Of too many, those that were asked for longest ago are
 * forgotten: who waits for them finds out by asking again now and then. Safe from any thread.
 */
public final class WatchedTasks {
    /** The most of a connection. */
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

    /** Answers whether it was there. */
    public synchronized boolean remove(long taskId) {
        return tasks.remove(taskId);
    }

    /** All of them, and forgets them. */
    public synchronized List<Long> removeAll() {
        List<Long> all = List.copyOf(tasks);
        tasks.clear();
        return all;
    }
}
