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
 * The tasks whose ends somebody in this process waits for: those that were asked for lately and lived. Safe from any thread; costs those who
 * end tasks next to nothing.
 */
public final class AwaitedTasks {
    private static final long KEPT_NANOS = Storage.WATCHED_FOR.toNanos();
    /** Whoever looks meanwhile must not take the last part for a new one. */
    private static final int CHUNK_UNKNOWN = Integer.MAX_VALUE;

    /** @param chunk the last part of its result that is known here */
    private record Asked(int chunk, long at) {}

    private final Map<Long, Asked> tasks = new ConcurrentHashMap<>();
    private volatile long lastCleared = System.nanoTime();

    /** Somebody is about to look at them: what happens from now on is to be told. */
    public void expect(Set<Long> ids) {
        forgetOld();
        Asked now = new Asked(CHUNK_UNKNOWN, System.nanoTime());
        ids.forEach(id -> tasks.putIfAbsent(id, now));
    }

    /**
     * What he saw. Answers of which tasks that is news: others in this process, such as another client of a server, may wait for them too, and
     * nobody else tells them any more.
     */
    public List<Long> learn(Map<Long, TaskStatus> standings) {
        long now = System.nanoTime();
        List<Long> news = new ArrayList<>(0);
        standings.forEach((id, standing) -> {
            boolean isOther;
            if (standing instanceof TaskStatus.Lives lives) {
                Asked before = tasks.put(id, new Asked(lives.chunk(), now));
                isOther = before != null && before.chunk < lives.chunk();
            } else {
                Asked before = tasks.remove(id);
                isOther = before != null && before.chunk != CHUNK_UNKNOWN;
            }
            if (isOther) {
                news.add(id);
            }
        });
        return news;
    }

    public boolean contains(long id) {
        return !tasks.isEmpty() && tasks.containsKey(id);
    }

    /** All of them, with the last part of each that is known. */
    public Map<Long, Integer> chunks() {
        forgetOld();
        Map<Long, Integer> chunks = new HashMap<>();
        tasks.forEach((id, asked) -> chunks.put(id, asked.chunk));
        return chunks;
    }

    /** Who still waits asks again in time. */
    private void forgetOld() {
        long now = System.nanoTime();
        if (now - lastCleared >= KEPT_NANOS) {
            lastCleared = now;
            tasks.values().removeIf(asked -> now - asked.at > KEPT_NANOS);
        }
    }
}
