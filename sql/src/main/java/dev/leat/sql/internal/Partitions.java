package dev.leat.sql.internal;

import dev.leat.Retention;
import dev.leat.TaskState;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions of finished tasks: one for each day on which tasks are purged, so that a day's tasks go all at once
 * (RULES 20).
 *
 * <p>What is kept for longer than {@value #MOST_DAYS} days, and what was finished before its day had a partition, is in the
 * partition for the rest and purged row by row. So nothing depends on partitions being made in time, nor on the right to
 * make them. Where there is a rest, PostgreSQL does not detach concurrently; a drop waits for a lock, but not for long.
 * Used by one thread at a time.
 */
final class Partitions {
    private static final Logger log = LoggerFactory.getLogger(Partitions.class);
    private static final long DAY = Times.micros(Duration.ofDays(1));
    private static final int DAYS_AHEAD = 3;
    /** Whoever looks for a task by its id looks into each partition, so there must not be hundreds. */
    private static final int MOST_DAYS = 92;
    /** How long everybody else may have to wait behind us, while we wait for somebody who uses the table. */
    private static final String LOCK_TIMEOUT = "200ms";

    /** Could not be done now; there is time until the next purge. */
    private static final class NotNow extends RuntimeException {
        private static final long serialVersionUID = 1;

        final transient Tx.Failure reason;

        NotNow(Tx.Failure reason) {
            super(reason);
            this.reason = reason;
        }
    }

    private final Db db;
    /** The day whose attempts are being deleted, and the last task of it whose attempts are. */
    private long dayInWork;

    private long taskInWork;
    private boolean isTold;

    Partitions(Db db) {
        this.db = db;
    }

    /** Makes the partitions of days to come and drops those that are over; answers whether there is more to drop. */
    boolean keepUp(long now, int limit) {
        try {
            Set<Long> days = db.look(Partitions::days);
            for (long day : wanted(now)) {
                if (!days.contains(day)) {
                    alter(tx -> make(tx, day));
                }
            }
            OptionalLong over = days.stream()
                    .mapToLong(day -> day)
                    .filter(day -> (day + 1) * DAY <= now - Tasks.KNOWN_MICROS)
                    .min();
            return over.isPresent() && drop(over.getAsLong(), limit);
        } catch (NotNow e) {
            tell(e);
            return false;
        }
    }

    private static Set<Long> days(Tx tx) {
        return new TreeSet<>(
                tx.list("partition-days", row -> LocalDate.parse(row.getString(1), DateTimeFormatter.BASIC_ISO_DATE)
                        .toEpochDay()));
    }

    /** The days on which tasks that are finished in the next days are purged. */
    private Set<Long> wanted(long now) {
        Set<Long> wanted = new TreeSet<>();
        for (QueueRow queue : db.look(tx -> tx.list("queues", Queues::read))) {
            Retention retention = queue.options().retention();
            for (TaskState state : TaskState.finished()) {
                long first = (now + Times.micros(retention.of(state))) / DAY;
                for (long day = first; day <= first + DAYS_AHEAD && day <= now / DAY + MOST_DAYS; day++) {
                    wanted.add(day);
                }
            }
        }
        return wanted;
    }

    /** Changes the table, unless another process does it now, which answers false. */
    private boolean alter(Consumer<Tx> change) {
        return db.write(Db.Repeat.HARMLESS, tx -> {
            try {
                if (tx.number("lock-partitions") != 1) {
                    return false;
                }
                tx.first("set-lock-timeout", row -> 1, LOCK_TIMEOUT);
                change.accept(tx);
                return true;
            } catch (Tx.Failure e) {
                throw new NotNow(e);
            }
        });
    }

    private static void make(Tx tx, long day) {
        long from = day * DAY;
        boolean isThere = days(tx).contains(day);
        if (!isThere
                && tx.first("is-better-without-partition", row -> 1, from, from + DAY)
                        .isEmpty()) {
            tx.define("make-partition", Map.of("day", label(day), "from", from, "to", from + DAY));
        }
    }

    /** The attempts of its tasks first, some at a time. */
    private boolean drop(long day, int limit) {
        if (dayInWork != day) {
            dayInWork = day;
            taskInWork = 0;
        }
        List<Long> tried = db.write(Db.Repeat.HARMLESS, tx -> {
            List<Long> ids = tx.ids("tried-of-day", day * DAY, (day + 1) * DAY, taskInWork, limit);
            Tx.Batch attempts = tx.batch("delete-attempts");
            ids.forEach(attempts::add);
            attempts.run();
            return ids;
        });
        if (tried.isEmpty()) {
            return alter(tx -> tx.define("drop-partition", Map.of("day", label(day))));
        }
        taskInWork = tried.get(tried.size() - 1);
        return true;
    }

    /** The day as people write it, 20261231. */
    private static long label(long day) {
        return Long.parseLong(LocalDate.ofEpochDay(day).format(DateTimeFormatter.BASIC_ISO_DATE));
    }

    /** Whoever may not change the tables should know once; that somebody used a table is nothing to know. */
    private void tell(NotNow notNow) {
        if (isTold || notNow.reason.trouble != Dialect.Trouble.FATAL) {
            log.debug("Finished tasks keep the partitions they have", notNow);
        } else {
            isTold = true;
            log.warn(
                    "Finished tasks get no partitions of their own and are purged one by one: {}",
                    notNow.reason.getMessage());
        }
    }
}
