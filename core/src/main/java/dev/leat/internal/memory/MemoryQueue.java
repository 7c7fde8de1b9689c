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
    /** Who runs for a key, and who waits behind. */
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
    /** Set while the storage owes listeners a notice of this queue. */
    boolean noticeOwed;

    MemoryQueue(String name, QueueOptions options, QueueInfo.SetBy setBy, RandomGenerator rnd) {
        this.name = name;
        this.options = options;
        this.setBy = setBy;
        this.rnd = rnd;
        this.readyNotice = new Notice.Ready(name);
        this.ready = new ReadyIndex(options, rnd);
    }

    /** Takes new options over; the ready entries are indexed again, {@code taken} are those that run now. */
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

    /** Tries to let {@code e} run for its key; when another runs, {@code e} joins the line behind it. */
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

    /** {@code e} runs no longer. */
    void leaveKey(Entry e) {
        KeyLine line = e.key() == null ? null : keys.get(e.key());
        if (line != null && line.holder == e) {
            line.holder = null;
        }
    }

    /** Takes the best entry out of the line behind the key of {@code e}, if nobody runs for that key. */
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

    /** By their ids. */
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
