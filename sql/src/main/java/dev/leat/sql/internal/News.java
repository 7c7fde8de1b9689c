package dev.leat.sql.internal;

import dev.leat.storage.Notice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Finds out what other processes' changes mean for those who sleep in this one. A change does not say what it was, so every
 * queue that has ready tasks, or a capacity, is told of. Used by the watcher's thread alone.
 */
final class News {
    private static final int OF_QUEUE = 1;
    private static final int OF_SESSION = 2;

    private final Db db;
    private final Consumer<Notice> tell;
    private final LongPredicate isEarlierTimer;
    private Set<String> paused = new HashSet<>();
    private final Set<String> full = new HashSet<>();
    private List<Notice> told = List.of();
    private long seen;

    News(Db db, Consumer<Notice> tell, LongPredicate isEarlierTimer) {
        this.db = db;
        this.tell = tell;
        this.isEarlierTimer = isEarlierTimer;
        this.seen = db.foreignChanges().orElse(0);
    }

    /** Tells what there is to tell, and answers whether another process has changed anything since the last look. */
    boolean look() {
        return db.dialect().countsChanges() ? lookIfChanged() : lookAtAll();
    }

    private boolean lookIfChanged() {
        OptionalLong changes = db.foreignChanges();
        if (changes.isEmpty() || changes.getAsLong() == seen) {
            return false;
        }
        seen = changes.getAsLong();
        db.look(this::notices).forEach(tell);
        return true;
    }

    /** What is still there is told again, since nobody knows whether it is the same; but it is no reason to hurry. */
    private boolean lookAtAll() {
        List<Notice> notices = db.look(this::notices);
        notices.forEach(tell);
        boolean changed = !notices.equals(told);
        told = notices;
        return changed;
    }

    /** After any change, perhaps; without knowing of changes, when it was seen full before and is not now. */
    private boolean mayHaveSpace(Tx tx, QueueRow queue) {
        if (db.dialect().countsChanges()) {
            return true;
        }
        int capacity = queue.options().capacity();
        if (tx.number("count-live", queue.id(), capacity) == capacity) {
            full.add(queue.name());
            return false;
        }
        return full.remove(queue.name());
    }

    private List<Notice> notices(Tx tx) {
        List<Notice> notices = new ArrayList<>();
        Set<String> pausedNow = new HashSet<>();
        List<QueueRow> limited = new ArrayList<>();
        tx.list("news", row -> {
            switch (row.getInt(8)) {
                case OF_QUEUE -> {
                    QueueRow queue = Queues.read(row);
                    if (row.getInt(7) == 1) {
                        notices.add(new Notice.Ready(queue.name()));
                    } else if (queue.options().capacity() > 0) {
                        limited.add(queue);
                    }
                    if (queue.paused()) {
                        pausedNow.add(queue.name());
                    }
                }
                case OF_SESSION -> notices.add(new Notice.SessionNews(row.getString(2)));
                default -> {
                    if (row.getLong(1) != 0 && isEarlierTimer.test(row.getLong(1))) {
                        notices.add(Notice.TimerMoved.INSTANCE);
                    }
                }
            }
            return row;
        });
        limited.stream()
                .filter(queue -> mayHaveSpace(tx, queue))
                .forEach(queue -> notices.add(new Notice.Ready(queue.name())));
        pausedNow.stream().filter(name -> !paused.contains(name)).forEach(name -> notices.add(new Notice.Paused(name)));
        paused = pausedNow;
        return notices;
    }
}
