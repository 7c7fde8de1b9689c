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
 * The partitions of finished tasks: one for each day on which tasks are purged, so that a day's tasks go all at once
 * (rule 20).
 *
 * <p>What is kept for longer than {@value #MOST_DAYS} days, and what was finished before its day had a partition, is in the
 * partition for the rest and purged row by row. So nothing depends on partitions being made in time, nor on the right to
 * make them. Where there is a rest, PostgreSQL does not detach concurrently; a drop waits for a lock, but not for long, and
 * {@link PurgeRuns} lets one process at a time do it.
 */
public final class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final long DAY = Times.micros(Duration.ofDays(1));
    private static final int DAYS_AHEAD = 3;
    /** Whoever looks for a task by its id looks into each partition, so there must not be hundreds. */
    private static final int MOST_DAYS = 92;
    /** How long everybody else may have to wait behind us, while we wait for somebody who uses the table. */
    private static final String LOCK_TIMEOUT = "200ms";
    /** How many tasks that came before their partition are moved into it at most. */
    private static final int MOST_MOVED = 10_000;

    /** How many tasks are purged at once, where they go one by one. */
    private static final int MOST_PURGED = 1_000;

    private static final String NO_RIGHTS = "42501";

    /** Of a day that goes at once, so many are counted at most. */
    private static final int MOST_COUNTED = 100_000;

    /** Could not be done now; there is time until the next purge. */
    private static final class NotNow extends RuntimeException {
        private static final long serialVersionUID = 1;

        final transient Tx.Failure reason;

        NotNow(Tx.Failure reason) {
            super(reason);
            this.reason = reason;
        }
    }

    /** A task that may have attempts. */
    private record Tried(long hiddenAt, long id) {}

    private static final PurgeRuns.Removed NOTHING = new PurgeRuns.Removed(0, 0, false);

    private final Db db;
    private final Set<Retention> prepared = ConcurrentHashMap.newKeySet();
    /** Of days that are being purged, the last task whose attempts are gone. */
    private final Map<Long, Tried> triedInWork = new HashMap<>();

    /** Whether we may not change the table. */
    private volatile boolean isRefused;

    public Partitions(Db db) {
        this.db = db;
    }

    /** A queue is going to finish tasks: their days get partitions before the first of them comes, if that can be. */
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

    /** Makes the partitions of days to come and purges those that are over. */
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
                removed = removed.and(purge(partition.getKey(), partition.getValue(), Math.min(limit, MOST_PURGED)));
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

    /** The days on which tasks that are finished in the next days are purged. */
    private static Set<Long> wanted(Retention retention, long now) {
        Set<Long> wanted = new TreeSet<>();
        for (TaskState state : TaskState.finished()) {
            long first = (now + Times.micros(retention.of(state))) / DAY;
            for (long day = first; day <= first + DAYS_AHEAD && first <= now / DAY + MOST_DAYS; day++) {
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

    /** Not where too many tasks would have to be moved, nor where PostgreSQL would read a large rest, with everybody waiting. */
    private static boolean make(Tx tx, long day) {
        long from = day * DAY;
        long to = from + DAY;
        if (byDay(tx).containsKey(day)) {
            return true;
        }
        tx.define("lock-rest", Map.of());
        if (tx.number("is-rest-large", from, to, MOST_MOVED) != 0) {
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
     * Purges a day that is over: the attempts of its tasks, then the tasks with the partition, or some of them where it may
     * not be dropped.
     */
    private PurgeRuns.Removed purge(long day, String partition, int limit) {
        long from = day * DAY;
        long to = from + DAY;
        Tried last = triedInWork.getOrDefault(day, new Tried(from, 0));
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
            triedInWork.put(day, tried.get(tried.size() - 1));
            return new PurgeRuns.Removed(0, tried.size(), true);
        }
        if (!isRefused) {
            long tasks = db.look(tx -> tx.number("count-of-day", from, to, MOST_COUNTED));
            if (alter(tx -> drop(tx, day, partition))) {
                triedInWork.remove(day);
                return new PurgeRuns.Removed(tasks, 0, false);
            }
        }
        if (!isRefused) {
            return NOTHING;
        }
        int deleted = db.write(Db.Repeat.HARMLESS, tx -> tx.update("delete-some-of-day", from, to, from, to, limit));
        return new PurgeRuns.Removed(deleted, deleted, deleted > 0);
    }

    /** Another process may have been faster. */
    private static boolean drop(Tx tx, long day, String partition) {
        if (byDay(tx).containsKey(day)) {
            tx.define("drop-partition", Map.of("partition", partition));
        }
        return true;
    }

    /** Changes the table, unless another process does it now or somebody uses the table for long. */
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
            tell(e);
            return false;
        }
    }

    /** That somebody used a table is nothing to know; whoever may not change the tables should know once. */
    private void tell(NotNow notNow) {
        String message = notNow.reason.getMessage();
        if (notNow.reason.getCause() instanceof SQLException error && NO_RIGHTS.equals(error.getSQLState())) {
            isRefused = true;
            log.warn("Finished tasks get no partitions of their own and are purged one by one: {}", message);
        } else if (notNow.reason.trouble == Dialect.Trouble.FATAL) {
            log.warn("The partitions of finished tasks stay as they are for a minute: {}", message);
        } else {
            log.debug("The partitions of finished tasks stay as they are for a minute: {}", message);
        }
    }
}
