package dev.leat.sql.internal.peers;

import dev.leat.storage.Storage;
import dev.leat.storage.TaskStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The live tasks that callers in this process wait for, because they lately asked for the task status. Safe from any thread; a
 * settle pays one map lookup.
 */
public final class AwaitedTasks {
    private static final long KEPT_NANOS = Storage.WATCHED_FOR.toNanos();
    /** Before the first read of a task, a poll must not report its last chunk as new. */
    private static final int CHUNK_UNKNOWN = Integer.MAX_VALUE;

    /** @param chunk the last chunk of the task's result that this process knows */
    private record Awaited(int chunk, long at) {}

    private final Map<Long, Awaited> tasks = new ConcurrentHashMap<>();
    private volatile long lastCleared = System.nanoTime();

    /** A caller is about to read these tasks: notices about them count from now on. */
    public void expect(Set<Long> ids) {
        forgetOld();
        Awaited now = new Awaited(CHUNK_UNKNOWN, System.nanoTime());
        ids.forEach(id -> tasks.putIfAbsent(id, now));
    }

    /**
     * Keeps what a caller has read. Returns the tasks with a change that this process did not know. Other waiters of this
     * process, such as clients of a server, need a notice for these, because no later poll finds the change.
     */
    public List<Long> learn(Map<Long, TaskStatus> statuses) {
        long now = System.nanoTime();
        List<Long> changed = new ArrayList<>(0);
        statuses.forEach((id, status) -> {
            boolean isNew;
            if (status instanceof TaskStatus.Lives lives) {
                Awaited before = tasks.put(id, new Awaited(lives.chunk(), now));
                isNew = before != null && before.chunk < lives.chunk();
            } else {
                Awaited before = tasks.remove(id);
                isNew = before != null && before.chunk != CHUNK_UNKNOWN;
            }
            if (isNew) {
                changed.add(id);
            }
        });
        return changed;
    }

    public boolean contains(long id) {
        return !tasks.isEmpty() && tasks.containsKey(id);
    }

    /** The last known chunk of each task. */
    Map<Long, Integer> chunks() {
        forgetOld();
        Map<Long, Integer> chunks = new HashMap<>();
        tasks.forEach((id, awaited) -> chunks.put(id, awaited.chunk));
        return chunks;
    }

    /** A caller that still waits asks again in time. */
    private void forgetOld() {
        long now = System.nanoTime();
        if (now - lastCleared >= KEPT_NANOS) {
            lastCleared = now;
            tasks.values().removeIf(awaited -> now - awaited.at > KEPT_NANOS);
        }
    }
}
