package dev.leat.sql.internal.peers;

import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.work.QueueRows;
import dev.leat.storage.Notice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Finds out what other processes' changes mean for those who sleep in this one. A change does not say what it was, so every
 * queue that has ready tasks, or a capacity, is told of, and every task that somebody waits for and that is not as he knows it. Used by the
 * watcher's thread alone.
 */
public final class ForeignChanges {
    private static final int OF_QUEUE = 1;
    private static final int OF_SESSION = 2;

    private final Db db;
    private final Consumer<Notice> tell;
    private final LongPredicate isEarlierTimer;
    private final Supplier<Map<Long, Integer>> awaited;
    private Set<String> paused = new HashSet<>();
    private final Set<String> full = new HashSet<>();
    private List<Notice> told = List.of();
    private long seen;

    /** @param awaited the tasks that somebody waits for, with the last part of each that he knows */
    public ForeignChanges(
            Db db, Consumer<Notice> tell, LongPredicate isEarlierTimer, Supplier<Map<Long, Integer>> awaited) {
        this.db = db;
        this.tell = tell;
        this.isEarlierTimer = isEarlierTimer;
        this.awaited = awaited;
        this.seen = db.dialect().countsChanges() ? db.foreignChanges().orElse(0) : 0;
    }

    /** Tells what there is to tell, and answers whether another process has changed anything since the last look. */
    public boolean look() {
        return db.dialect().countsChanges() ? lookIfChanged() : lookAtAll();
    }

    private boolean lookIfChanged() {
        OptionalLong changes = db.foreignChanges();
        if (changes.isEmpty() || changes.getAsLong() == seen) {
            return false;
        }
        Found found = db.look(this::see);
        seen = changes.getAsLong();
        notices(found).forEach(tell);
        return true;
    }

    /** What is still there is told again, since nobody knows whether it is the same; but it is no reason to hurry. */
    private boolean lookAtAll() {
        List<Notice> notices = notices(db.look(this::see));
        notices.forEach(tell);
        boolean changed = !notices.equals(told);
        told = notices;
        return changed;
    }

    /** What a look found. It may be repeated, so that nothing is remembered before it is over. */
    private static final class Found {
        final List<Notice> notices = new ArrayList<>();
        final Set<String> paused = new HashSet<>();
        /** Queues with a capacity and without ready tasks, and whether they are full. */
        final Map<String, Boolean> full = new LinkedHashMap<>();

        long timer;
    }

    private Found see(Tx tx) {
        Found found = new Found();
        List<QueueRow> limited = new ArrayList<>();
        tx.list("notices", row -> {
            switch (row.getInt(8)) {
                case OF_QUEUE -> {
                    QueueRow queue = QueueRows.read(row);
                    if (row.getInt(7) == 1) {
                        found.notices.add(new Notice.Ready(queue.name()));
                    } else if (queue.options().capacity() > 0) {
                        limited.add(queue);
                    }
                    if (queue.paused()) {
                        found.paused.add(queue.name());
                    }
                }
                case OF_SESSION -> found.notices.add(new Notice.SessionNews(row.getString(2)));
                default -> found.timer = Times.earlier(found.timer, row.getLong(1));
            }
            return row;
        });
        limited.forEach(queue -> found.full.put(queue.name(), isFull(tx, queue)));
        found.notices.addAll(newsOfTasks(tx));
        return found;
    }

    private List<Notice> newsOfTasks(Tx tx) {
        Map<Long, Integer> known = awaited.get();
        if (known.isEmpty()) {
            return List.of();
        }
        Map<Long, Integer> chunks = new HashMap<>();
        tx.list(
                "task-statuses",
                row -> RowState.of(row.getInt(3)) == RowState.BURIED ? row : chunks.put(row.getLong(1), row.getInt(6)),
                db.dialect().ids(known.keySet()));
        List<Notice> news = new ArrayList<>();
        known.forEach((id, chunk) -> {
            Integer now = chunks.get(id);
            if (now == null || now > chunk) {
                news.add(new Notice.TaskNews(id));
            }
        });
        return news;
    }

    /** Nobody has to count where changes are: after any of them, there may be space. */
    private boolean isFull(Tx tx, QueueRow queue) {
        int capacity = queue.options().capacity();
        return !db.dialect().countsChanges() && tx.number("count-live", queue.id(), capacity) == capacity;
    }

    private List<Notice> notices(Found found) {
        List<Notice> notices = new ArrayList<>(found.notices);
        if (found.timer != 0 && isEarlierTimer.test(found.timer)) {
            notices.add(Notice.TimerMoved.INSTANCE);
        }
        found.full.forEach((queue, isFull) -> {
            if (isFull) {
                full.add(queue);
            } else if (full.remove(queue) || db.dialect().countsChanges()) {
                notices.add(new Notice.Ready(queue));
            }
        });
        found.paused.stream()
                .filter(name -> !paused.contains(name))
                .forEach(name -> notices.add(new Notice.Paused(name)));
        paused = found.paused;
        return notices;
    }
}
