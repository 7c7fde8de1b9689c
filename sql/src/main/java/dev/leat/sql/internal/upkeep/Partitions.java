package dev.leat.sql.internal.upkeep;

import dev.leat.TaskState;
import dev.leat.queue.Retention;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.work.LoadedTasks;
import dev.leat.sql.internal.work.QueueRows;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of finished tasks: one for each day on which tasks are purged, so that all tasks of a day are purged at once (rule 20).
 *
 * <p>Other tasks are in the default partition and are purged row by row: those kept for longer than {@value #MAX_DAYS} days, and those finished
 * before their day had a partition. So correctness needs neither partitions in time nor the right to make them. PostgreSQL does not detach
 * concurrently while a default partition exists, so a drop waits for a lock, for a short time only. {@link PurgeRuns} lets one process at a time do
 * so.
 */
public final class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final long DAY = Times.micros(Duration.ofDays(1));
    private static final int DAYS_AHEAD = 3;
    /** Bounds the number of partitions, because a search by id reads each of them. */
    private static final int MAX_DAYS = 92;
    /** Bounds the wait for the table lock, because other statements queue up behind it. */
    private static final String LOCK_TIMEOUT = "200ms";
    /** The largest number of rows that are moved from the default partition into a new one. */
    private static final int MAX_MOVED = 10_000;

    private static final String NO_RIGHTS = "42501";

    /** The tasks of a dropped day are counted up to this number. */
    private static final int MAX_COUNTED = 100_000;

    /** A change of the table failed and is left to the next purge. */
    private static final class NotNow extends RuntimeException {
        private static final long serialVersionUID = 1;

        final transient Tx.Failure reason;

        NotNow(Tx.Failure reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /** A task that may have rows of attempts. */
    private record Tried(long hiddenAt, long id) {}

    private static final PurgeRuns.Removed NOTHING = new PurgeRuns.Removed(0, 0, false);

    private final Db db;
    private final Set<Retention> prepared = ConcurrentHashMap.newKeySet();
    /** By day, the last task whose attempts are deleted. */
    private final Map<Long, Tried> lastPurgedAttempts = new HashMap<>();

    /** Whether the database user has no right to change the table. */
    private volatile boolean isRefused;

    public Partitions(Db db) {
        this.db = db;
    }

    /** Makes the partitions for a new retention, if possible before the first task is finished. */
    public void prepare(Retention retention) {
        if (!prepared.add(retention)) {
            return;
        }
        try {
            long now =
                    db.look(tx -> tx.first("next-timers", row -> row.getLong(1)).orElseThrow());
            make(wanted(retention, now));
        } catch (Tx.Failure e) {
            log.debug("The next purge makes the partitions", e);
        }
    }

    /**
     * Makes the partitions of the next days and purges those that are over.
     *
     * @param limit about how many rows are deleted one by one
     */
    public synchronized PurgeRuns.Removed keepUp(long now, int limit) {
        PurgeRuns.Removed removed = NOTHING;
        Set<Long> wanted = new TreeSet<>();
        for (QueueRow queue : db.look(tx -> tx.list("queues", QueueRows::read))) {
            wanted.addAll(wanted(queue.options().retention(), now));
        }
        make(wanted);
        for (Map.Entry<Long, String> partition : db.look(Partitions::byDay).entrySet()) {
            boolean isOver = (partition.getKey() + 1) * DAY <= now - LoadedTasks.KNOWN_MICROS;
            if (isOver) {
                removed = removed.and(purge(partition.getKey(), partition.getValue(), limit));
            }
        }
        return removed;
    }

    private static Map<Long, String> byDay(Tx tx) {
        record Partition(long day, String name) {}
        Map<Long, String> byDay = new TreeMap<>();
        tx.list("partitions", row -> new Partition(day(row.getString(1)), row.getString(2)))
                .forEach(partition -> byDay.put(partition.day, partition.name));
        return byDay;
    }

    private static long day(String label) {
        return LocalDate.parse(label, DateTimeFormatter.BASIC_ISO_DATE).toEpochDay();
    }

    private static String label(long day) {
        return LocalDate.ofEpochDay(day).format(DateTimeFormatter.BASIC_ISO_DATE);
    }

    /** The purge days of tasks that will be finished in the next days. */
    private static Set<Long> wanted(Retention retention, long now) {
        Set<Long> wanted = new TreeSet<>();
        for (TaskState state : TaskState.finished()) {
            long first = (now + Times.micros(retention.of(state))) / DAY;
            for (long day = first; day <= first + DAYS_AHEAD && first <= now / DAY + MAX_DAYS; day++) {
                wanted.add(day);
            }
        }
        return wanted;
    }

    private void make(Set<Long> wanted) {
        if (isRefused) {
            return;
        }
        Set<Long> missing = new TreeSet<>(wanted);
        missing.removeAll(db.look(Partitions::byDay).keySet());
        for (long day : missing) {
            alter(tx -> make(tx, day));
        }
    }

    /** Skips a day if the lock would last long: if many rows have to be moved, or PostgreSQL has to read a large default partition. */
    private static boolean make(Tx tx, long day) {
        long from = day * DAY;
        long to = from + DAY;
        if (byDay(tx).containsKey(day)) {
            return true;
        }
        tx.define("lock-rest", Map.of());
        if (tx.number("is-rest-large", from, to, MAX_MOVED) != 0) {
            return false;
        }
        Map<String, String> names = Map.of(
                "schema",
                tx.first("schema-of-finished", row -> row.getString(1)).orElseThrow(),
                "day",
                label(day),
                "from",
                Long.toString(from),
                "to",
                Long.toString(to));
        tx.define("make-partition", names);
        return true;
    }

    /**
     * Purges a day that is over: first the attempts of its tasks, then the tasks with their partition. Without the right to drop the partition,
     * deletes some of the tasks.
     */
    private PurgeRuns.Removed purge(long day, String partition, int limit) {
        long from = day * DAY;
        long to = from + DAY;
        Tried last = lastPurgedAttempts.getOrDefault(day, new Tried(from, 0));
        List<Tried> tried = db.write(Db.Repeat.HARMLESS, tx -> {
            List<Tried> tasks = tx.list(
                    "tried-of-day",
                    row -> new Tried(row.getLong(1), row.getLong(2)),
                    last.hiddenAt,
                    last.id,
                    to,
                    limit);
            Tx.Batch attempts = tx.batch("delete-attempts");
            tasks.forEach(task -> attempts.add(task.id));
            attempts.run();
            return tasks;
        });
        if (!tried.isEmpty()) {
            lastPurgedAttempts.put(day, tried.get(tried.size() - 1));
            return new PurgeRuns.Removed(0, tried.size(), true);
        }
        if (!isRefused) {
            long tasks = db.look(tx -> tx.number("count-of-day", from, to, MAX_COUNTED));
            if (alter(tx -> drop(tx, day, partition))) {
                lastPurgedAttempts.remove(day);
                return new PurgeRuns.Removed(tasks, 0, false);
            }
        }
        if (!isRefused) {
            return NOTHING;
        }
        int deleted = db.write(Db.Repeat.HARMLESS, tx -> tx.update("delete-some-of-day", from, to, from, to, limit));
        return new PurgeRuns.Removed(deleted, deleted, deleted > 0);
    }

    /** Drops a partition, unless another process has dropped it. */
    private static boolean drop(Tx tx, long day, String partition) {
        if (byDay(tx).containsKey(day)) {
            tx.define("drop-partition", Map.of("partition", partition));
        }
        return true;
    }

    /** Changes the table, unless another process does so now, or the lock on the table takes too long. */
    private boolean alter(Function<Tx, Boolean> change) {
        try {
            return db.write(Db.Repeat.HARMLESS, tx -> {
                try {
                    if (tx.number("lock-partitions") != 1) {
                        return false;
                    }
                    tx.first("set-lock-timeout", row -> 1, LOCK_TIMEOUT);
                    return change.apply(tx);
                } catch (Tx.Failure e) {
                    throw new NotNow(e);
                }
            });
        } catch (NotNow e) {
            logFailure(e);
            return false;
        }
    }

    /** A lock timeout is normal and logged for debugging only. A missing right is logged once. */
    private void logFailure(NotNow notNow) {
        String message = notNow.reason.getMessage();
        if (notNow.reason.getCause() instanceof SQLException error && NO_RIGHTS.equals(error.getSQLState())) {
            isRefused = true;
            log.warn("No right to make partitions, so finished tasks are purged one by one: {}", message);
        } else if (notNow.reason.trouble == Dialect.Trouble.FATAL) {
            log.warn(
                    "The partitions of finished tasks were not changed; the purge tries again in a minute: {}",
                    message);
        } else {
            log.debug(
                    "The partitions of finished tasks were not changed; the purge tries again in a minute: {}",
                    message);
        }
    }
}
