package dev.leat.internal.memory;

import dev.leat.Equivalence;
import dev.leat.NewTask;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.storage.Hashes;
import dev.leat.storage.Notice;
import dev.leat.storage.Undeclared;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A queue: its options, its ready index, its keys and addresses. Guarded by the storage's lock. */
final class MemoryQueue {
    /** The entry that runs for a key, and the entries that wait for the key. */
    private static final class KeyLine {
        @Nullable
        Entry holder;

        final Line waiting = new Line(Line.BY_PRIORITY);
    }

    final String name;
    final Notice readyNotice;
    final Line buried = new Line(Line.BY_PRIORITY);
    final Map<String, Entry> addresses = new HashMap<>();
    private final Map<String, List<Entry>> equivalents = new HashMap<>();
    private final RandomGenerator rnd;
    private final Map<String, KeyLine> keys = new HashMap<>();
    private final long[] counts = new long[TaskState.values().length];
    private long live;
    QueueOptions options;
    ReadyIndex ready;
    QueueInfo.SetBy setBy;
    boolean paused;
    /** Whether the current operation sends a notice of this queue. */
    boolean hasPendingNotice;

    MemoryQueue(String name, QueueOptions options, QueueInfo.SetBy setBy, RandomGenerator rnd) {
        this.name = name;
        this.options = options;
        this.setBy = setBy;
        this.rnd = rnd;
        this.readyNotice = new Notice.Ready(name);
        this.ready = new ReadyIndex(options, rnd);
    }

    /**
     * Sets new options and indexes the ready entries again.
     *
     * @param taken the entries that run now
     */
    void change(QueueOptions newOptions, List<Entry> taken) {
        List<Entry> entries = ready.all();
        options = newOptions;
        ready = new ReadyIndex(newOptions, rnd);
        entries.forEach(ready::add);
        taken.forEach(ready::started);
    }

    QueueInfo info() {
        return new QueueInfo(name, options, paused, setBy);
    }

    void count(TaskState state, int by) {
        counts[state.ordinal()] += by;
        if (state.isLive()) {
            live += by;
        }
    }

    long count(TaskState state) {
        return counts[state.ordinal()];
    }

    long live() {
        return live;
    }

    boolean hasSpaceFor(long tasks) {
        return options.capacity() == 0 || live + tasks <= options.capacity();
    }

    QueueStats stats(int consumers) {
        Map<TaskState, Long> byState = new EnumMap<>(TaskState.class);
        for (TaskState state : TaskState.values()) {
            byState.put(state, count(state));
        }
        return new QueueStats(name, options.number(), byState, true, consumers);
    }

    void check(TakeRequest request) {
        Undeclared.check(name, options, request);
    }

    /** Makes {@code e} the holder of its key. If the key has a holder, {@code e} joins the entries that wait for the key. */
    boolean enterKey(Entry e) {
        String key = e.key();
        if (key == null) {
            return true;
        }
        KeyLine line = keys.computeIfAbsent(key, k -> new KeyLine());
        if (line.holder != null) {
            line.waiting.add(e);
            return false;
        }
        line.holder = e;
        return true;
    }

    /** Frees the key if {@code e} holds it. */
    void leaveKey(Entry e) {
        KeyLine line = e.key() == null ? null : keys.get(e.key());
        if (line != null && line.holder == e) {
            line.holder = null;
        }
    }

    /** Removes and returns the best entry that waits for the key of {@code e}; null if the key has a holder, or no entry waits. */
    @Nullable
    Entry pollBehindFreeKey(Entry e) {
        String key = e.key();
        KeyLine line = key == null ? null : keys.get(key);
        if (key == null || line == null || line.holder != null) {
            return null;
        }
        Entry next = line.waiting.first();
        if (next == null) {
            keys.remove(key);
        } else {
            line.waiting.remove(next);
        }
        return next;
    }

    /** The equivalent entries, in the order of their ids. */
    Stream<Entry> equivalentTo(Equivalence equivalence) {
        NewTask like = equivalence.task();
        String hash = Hashes.sha256(like.payload().bytes());
        return equivalents.getOrDefault(EntryLifecycle.equivalenceIndex(like, hash), List.of()).stream()
                .filter(e -> equivalence.states().contains(e.state) && !e.hidden)
                .filter(e -> equivalence.isDoneBy(e.given))
                .sorted(Comparator.comparingLong(e -> e.id));
    }

    void indexEquivalent(Entry e, String index) {
        equivalents.computeIfAbsent(index, k -> new ArrayList<>(1)).add(e);
    }

    void unindexEquivalent(Entry e, String index) {
        List<Entry> entries = equivalents.get(index);
        if (entries != null && entries.remove(e) && entries.isEmpty()) {
            equivalents.remove(index);
        }
    }
}
