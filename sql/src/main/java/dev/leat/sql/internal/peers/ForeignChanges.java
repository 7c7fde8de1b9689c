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

/**
 * Reads what other processes have changed, and sends the notices that the waiters of this process need. The database does not
 * say which rows changed. So each poll sends a notice for every queue with ready tasks or a capacity, and for every awaited
 * task that is not as this process knows it. Only the thread of the {@link Poller} uses it.
 */
public final class ForeignChanges {
    private static final int OF_QUEUE = 1;
    private static final int OF_SESSION = 2;

    private final Db db;
    private final Consumer<Notice> send;
    private final LongPredicate isEarlierTimer;
    private final AwaitedTasks awaited;
    private Set<String> paused = new HashSet<>();
    private final Set<String> full = new HashSet<>();
    private List<Notice> lastSent = List.of();
    private long lastChange;

    /** @param isEarlierTimer keeps a timer, and returns whether it is earlier than all timers known before */
    public ForeignChanges(Db db, Consumer<Notice> send, LongPredicate isEarlierTimer, AwaitedTasks awaited) {
        this.db = db;
        this.send = send;
        this.isEarlierTimer = isEarlierTimer;
        this.awaited = awaited;
        this.lastChange = db.dialect().countsChanges() ? db.foreignChanges().orElse(0) : 0;
    }

    /** Sends the notices, and returns whether another process has changed anything since the last poll. */
    public boolean poll() {
        return db.dialect().countsChanges() ? pollIfChanged() : pollAlways();
    }

    private boolean pollIfChanged() {
        OptionalLong changes = db.foreignChanges();
        if (changes.isEmpty() || changes.getAsLong() == lastChange) {
            return false;
        }
        Found found = db.look(this::read);
        lastChange = changes.getAsLong();
        notices(found).forEach(send);
        return true;
    }

    /** Sends the same notices again, since they may be about other tasks. Equal notices do not shorten the poll interval. */
    private boolean pollAlways() {
        List<Notice> notices = notices(db.look(this::read));
        notices.forEach(send);
        boolean changed = !notices.equals(lastSent);
        lastSent = notices;
        return changed;
    }

    /** What one read found. The read may be repeated, so the fields of this object change only after its end. */
    private static final class Found {
        final List<Notice> notices = new ArrayList<>();
        final Set<String> paused = new HashSet<>();
        /** Queues with a capacity and without ready tasks, and whether they are full. */
        final Map<String, Boolean> full = new LinkedHashMap<>();

        long timer;
    }

    private Found read(Tx tx) {
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
        found.notices.addAll(taskNews(tx));
        return found;
    }

    private List<Notice> taskNews(Tx tx) {
        Map<Long, Integer> known = awaited.chunks();
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

    /** Where the database counts changes, any change may have made space, so the tasks need no count. */
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
