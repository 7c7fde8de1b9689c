package dev.leat.sql.internal.upkeep;

import dev.leat.error.AddressInDoubtException;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.operation.ScheduleRows;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the tasks of schedules whose time has come. Safe from any thread. */
final class ScheduledPuts {
    private static final Logger log = LoggerFactory.getLogger(ScheduledPuts.class);
    /** Interval for re-checking due schedules that are locked, cannot be read, or wait for an address. */
    private static final long LOOK_AT_LEFT_EVERY = Times.micros(Duration.ofMillis(200));

    private final Db db;
    private final Units units;

    /** The messages about unreadable schedules that were logged. */
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

    /** The schedules that were logged to wait for another transaction. */
    private final Set<String> inDoubt = ConcurrentHashMap.newKeySet();

    ScheduledPuts(Db db, Units units) {
        this.db = db;
        this.units = units;
    }

    /** Puts about {@code limit} tasks, in blocks; answers when the next run is due, 0 for never. */
    long put(int limit, long now) {
        Optional<ScheduleRows.Place> place = Optional.of(ScheduleRows.Place.START);
        int left = limit;
        while (place.isPresent() && left > 0) {
            ScheduleRows.Place from = place.get();
            int most = left;
            ScheduleRows.Fired fired =
                    units.writeAgain(unit -> new ScheduleRows(unit).fire(from, most, this::logUnreadable));
            left -= fired.changed();
            for (String name : fired.addressed()) {
                left -= putAddressed(name);
            }
            place = fired.more();
        }
        long next = db.look(tx -> tx.number("next-run"));
        boolean isAnyDueLeft = place.isEmpty() && next != 0 && next <= now;
        return isAnyDueLeft ? now + LOOK_AT_LEFT_EVERY : next;
    }

    private int putAddressed(String schedule) {
        try {
            int changed = units.writeAgain(unit -> new ScheduleRows(unit).fireAddressed(schedule));
            inDoubt.remove(schedule);
            return changed;
        } catch (AddressInDoubtException e) {
            if (inDoubt.add(schedule)) {
                log.warn(
                        "Schedule '{}' waits for a transaction that has put the address of its task and not ended",
                        schedule);
            }
            return 0;
        }
    }

    private void logUnreadable(StorageException error) {
        if (unreadable.add(String.valueOf(error.getMessage()))) {
            log.warn("This process cannot put the task of a due schedule: {}", error.getMessage());
        }
    }
}
