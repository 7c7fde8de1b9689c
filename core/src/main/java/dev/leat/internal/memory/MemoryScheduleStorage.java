package dev.leat.internal.memory;

import dev.leat.storage.TaskStatus;
import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.schedule.ScheduledRun;
import dev.leat.storage.DueRuns;
import dev.leat.storage.ScheduleStorage;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The schedules of the memory storage. */
final class MemoryScheduleStorage implements ScheduleStorage {
    private final UnderLock lock;
    private final ScheduleTable schedules;
    private final Intake intake;
    private final EntryTable entries;

    MemoryScheduleStorage(UnderLock lock, ScheduleTable schedules, Intake intake, EntryTable entries) {
        this.lock = lock;
        this.schedules = schedules;
        this.intake = intake;
        this.entries = entries;
    }

    @Override
    public ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy) {
        return lock.call(now -> schedules.put(schedule, setBy, now));
    }

    @Override
    public Optional<ScheduleInfo> find(String name) {
        return lock.call(now -> schedules.find(name));
    }

    @Override
    public List<ScheduleInfo> list(ScheduleQuery query) {
        return lock.call(now -> schedules.list(query));
    }

    @Override
    public ScheduleInfo pause(String name) {
        return lock.call(now -> schedules.set(schedules.get(name).pause()));
    }

    @Override
    public ScheduleInfo resume(String name) {
        return lock.call(now -> schedules.set(schedules.get(name).resume(now)));
    }

    @Override
    public PutResult trigger(String name) {
        return lock.call(now -> {
            ScheduleInfo info = schedules.get(name);
            Entry last = unended(DueRuns.mayBlock(info));
            if (last != null) {
                return new PutResult(last.id, false, last.state);
            }
            NewTask task = new ScheduledRun(name, now).triggered(info.schedule().task());
            PutResult result = intake.putScheduled(task, now);
            schedules.set(info.put(now, result));
            return result;
        });
    }

    @Override
    public boolean drop(String name) {
        return lock.call(now -> schedules.drop(name));
    }

    /** Puts the tasks of all schedules that are due. */
    void fireDue(Instant now) {
        for (ScheduleInfo due = schedules.due(now); due != null; due = schedules.due(now)) {
            fire(due, now);
        }
    }

    private void fire(ScheduleInfo due, Instant now) {
        DueRuns firing = DueRuns.of(due, now, id -> unended(OptionalLong.of(id)) != null);
        List<PutResult> results = firing.tasks().stream()
                .map(task -> intake.putScheduled(task, now))
                .toList();
        schedules.set(due.fired(firing, results));
    }

    /** The task, if it has not ended. */
    private @Nullable Entry unended(OptionalLong task) {
        Entry e = task.isPresent() ? entries.get(task.getAsLong()) : null;
        return e != null && !TaskStatus.hasEnded(e.state) ? e : null;
    }
}
