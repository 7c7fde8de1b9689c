package dev.leat.sql.internal;

import dev.leat.PutResult;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.ScheduleRows;
import dev.leat.storage.ScheduleStorage;
import java.util.List;
import java.util.Optional;

/** The schedules of an SQL storage. */
final class SqlSchedules implements ScheduleStorage {
    private final UnitRunner units;

    SqlSchedules(UnitRunner units) {
        this.units = units;
    }

    @Override
    public ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy) {
        return units.writeAgain(unit -> new ScheduleRows(unit).put(schedule, setBy));
    }

    @Override
    public Optional<ScheduleInfo> find(String name) {
        return units.read(unit -> new ScheduleRows(unit).find(name));
    }

    @Override
    public List<ScheduleInfo> list(ScheduleQuery query) {
        return units.read(unit -> new ScheduleRows(unit).list(query));
    }

    @Override
    public ScheduleInfo pause(String name) {
        return units.writeAgain(unit -> new ScheduleRows(unit).pause(name));
    }

    @Override
    public ScheduleInfo resume(String name) {
        return units.writeAgain(unit -> new ScheduleRows(unit).resume(name));
    }

    @Override
    public PutResult trigger(String name) {
        try {
            return units.write(unit -> new ScheduleRows(unit).trigger(name));
        } catch (Tx.Failure e) {
            throw e.isInDoubt() ? new PutOutcomeUnknownException(e) : e;
        }
    }

    @Override
    public boolean drop(String name) {
        return units.write(unit -> new ScheduleRows(unit).drop(name));
    }
}
