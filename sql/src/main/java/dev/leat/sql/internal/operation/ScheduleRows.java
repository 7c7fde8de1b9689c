package dev.leat.sql.internal.operation;

import dev.leat.NewTask;
import dev.leat.PutResult;
import dev.leat.error.AddressInDoubtException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.ScheduleNotFoundException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Cron;
import dev.leat.schedule.FixedRate;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.schedule.ScheduledRun;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.sql.internal.row.NewTaskBytes;
import dev.leat.sql.internal.row.RowState;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.DueRuns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads and writes schedules, and puts their tasks, within one unit of work. */
public final class ScheduleRows {
    /** The number of schedules whose tasks one transaction puts. */
    private static final int SCHEDULES_PER_TRANSACTION = 100;

    private final UnitOfWork unit;
    private final Tx tx;

    public ScheduleRows(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    // Reading

    public Optional<ScheduleInfo> find(String name) {
        return tx.first("schedule", ScheduleRows::read, name);
    }

    public List<ScheduleInfo> list(ScheduleQuery query) {
        String queue = query.queue().orElse(null);
        return query.tenant().isPresent()
                ? tx.list(
                        "schedules-of-tenant",
                        ScheduleRows::read,
                        query.tenant().get(),
                        query.after(),
                        queue,
                        queue,
                        query.limit())
                : tx.list("schedules", ScheduleRows::read, query.after(), queue, queue, query.limit());
    }

    /** Locks the schedule until the commit. */
    private Optional<ScheduleInfo> lock(String name) {
        return tx.first("lock-schedule", ScheduleRows::read, name);
    }

    private ScheduleInfo get(String name) {
        return lock(name).orElseThrow(() -> new ScheduleNotFoundException(name));
    }

    // Changing

    /** Of two processes that make the same schedule at once, the second gets a unique-key error and begins again. */
    public ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy) {
        Optional<ScheduleInfo> known = lock(schedule.name());
        if (known.isPresent()) {
            return change(known.get(), known.get().again(schedule, setBy, unit.instant()));
        }
        ScheduleInfo first = ScheduleInfo.first(schedule, setBy, unit.instant());
        tx.update(set(tx.values("insert-schedule"), first).set("created", unit.now));
        unit.timer(Times.orNone(first.nextRun()));
        return first;
    }

    public ScheduleInfo pause(String name) {
        ScheduleInfo known = get(name);
        return change(known, known.pause());
    }

    public ScheduleInfo resume(String name) {
        ScheduleInfo known = get(name);
        return change(known, known.resume(unit.instant()));
    }

    private ScheduleInfo change(ScheduleInfo known, ScheduleInfo changed) {
        if (!changed.equals(known)) {
            tx.update(set(tx.values("change-schedule"), changed));
            unit.timer(Times.orNone(changed.nextRun()));
        }
        return changed;
    }

    public PutResult trigger(String name) {
        ScheduleInfo known = get(name);
        OptionalLong last = DueRuns.mayBlock(known);
        Optional<RowState> unended = last.isPresent() ? unendedState(last.getAsLong()) : Optional.empty();
        if (unended.isPresent()) {
            return new PutResult(last.getAsLong(), false, unended.get().task);
        }
        Instant now = unit.instant();
        NewTask task = new ScheduledRun(name, now).triggered(known.schedule().task());
        PutResult result = new Puts(unit).putScheduled(List.of(task)).get(0);
        change(known, known.put(now, result));
        return result;
    }

    public boolean drop(String name) {
        return tx.update("drop-schedule", name) > 0;
    }

    // Due runs

    /** The position of a schedule among the due schedules. */
    public record Place(long nextRun, String name) {
        public static final Place START = new Place(0, "");
    }

    /**
     * The result of a block of due schedules.
     *
     * @param changed about how many rows were written
     * @param addressed the schedules whose tasks have addresses: {@link #fireAddressed} handles each alone
     * @param more where to go on; empty if no other schedule is due
     */
    public record Fired(int changed, List<String> addressed, Optional<Place> more) {}

    /** A due schedule; without its content if this process cannot read the row. */
    private record Due(Place place, Optional<ScheduleInfo> info) {}

    /**
     * Puts the tasks of a block of due schedules, and moves the schedules to their next run. A schedule that this process cannot read is left to
     * other processes: it may be of a newer version, or have a time zone that this JVM lacks.
     *
     * @param unreadable gets the error of each schedule that cannot be read
     */
    public Fired fire(Place from, int limit, Consumer<StorageException> unreadable) {
        int most = Math.min(limit, SCHEDULES_PER_TRANSACTION);
        List<Due> block = tx.list(
                "due-schedules",
                row -> new Due(new Place(row.getLong(13), row.getString(1)), readOrLeave(row, unreadable)),
                from.nextRun,
                from.nextRun,
                from.name,
                unit.now,
                most);
        List<String> addressed = new ArrayList<>();
        List<ScheduleInfo> schedules = new ArrayList<>();
        List<DueRuns> dueRuns = new ArrayList<>();
        List<NewTask> tasks = new ArrayList<>();
        Place place = from;
        boolean isMore = block.size() == most;
        for (Due due : block) {
            if (tasks.size() >= limit) {
                isMore = true;
                break;
            }
            place = due.place;
            if (due.info.isEmpty()) {
                continue;
            }
            ScheduleInfo info = due.info.get();
            if (info.schedule().task().address().isPresent()) {
                addressed.add(info.name());
                continue;
            }
            DueRuns runs = DueRuns.of(info, unit.instant(), this::hasNotEnded);
            schedules.add(info);
            dueRuns.add(runs);
            tasks.addAll(runs.tasks());
        }
        move(schedules, dueRuns, new Puts(unit).putScheduled(tasks));
        return new Fired(
                Math.max(schedules.size(), tasks.size()), addressed, isMore ? Optional.of(place) : Optional.empty());
    }

    /**
     * As {@link #fire}, for one schedule whose task has an address. An open transaction that has put the same address is not waited for, so that
     * it holds up no other schedule.
     *
     * @return about how many rows were written
     * @throws AddressInDoubtException if such a transaction is open
     */
    public int fireAddressed(String name) {
        Optional<ScheduleInfo> due = tx.first("due-schedule", ScheduleRows::read, name, unit.now);
        if (due.isEmpty()) {
            return 0;
        }
        DueRuns runs = DueRuns.of(due.get(), unit.instant(), this::hasNotEnded);
        try {
            List<PutResult> results = tx.dialect().notWaiting(tx, () -> {
                List<PutResult> put = new Puts(unit).putScheduled(runs.tasks());
                unit.tasks.flush();
                return put;
            });
            move(List.of(due.get()), List.of(runs), results);
        } catch (Tx.Failure e) {
            throw e.trouble == Dialect.Trouble.WAITED_TOO_LONG ? new AddressInDoubtException(e) : e;
        }
        return Math.max(1, runs.tasks().size());
    }

    private void move(List<ScheduleInfo> schedules, List<DueRuns> dueRuns, List<PutResult> results) {
        Tx.Batch moves = tx.batch("move-schedule");
        int from = 0;
        for (int i = 0; i < schedules.size(); i++) {
            ScheduleInfo before = schedules.get(i);
            int to = from + dueRuns.get(i).tasks().size();
            ScheduleInfo after = before.fired(dueRuns.get(i), results.subList(from, to));
            moves.add(setRuns(moves.values(), after)
                    .set("name", before.name())
                    .set("due_run", Times.orNone(before.nextRun())));
            from = to;
        }
        moves.runAll();
    }

    private boolean hasNotEnded(long task) {
        return unendedState(task).isPresent();
    }

    /** The state of a task that has not ended. Reads without a lock, because a handler's transaction can lock the row for long. */
    private Optional<RowState> unendedState(long task) {
        return tx.first("unended-state", row -> RowState.of(row.getInt(1)), task);
    }

    // Rows

    private static Values set(Values values, ScheduleInfo info) {
        Schedule schedule = info.schedule();
        Optional<Cron> cron = schedule.cadence().match(Optional::of, rate -> Optional.empty());
        Optional<FixedRate> rate = schedule.cadence().match(it -> Optional.empty(), Optional::of);
        return setRuns(values, info)
                .set("name", info.name())
                .set("queue", schedule.queue())
                .set("tenant", schedule.tenant().orElse(null))
                .set("cron", cron.map(Cron::expression).orElse(null))
                .set("zone", cron.map(it -> it.zone().getId()).orElse(null))
                .set("rate", rate.map(it -> Times.micros(it.interval())).orElse(null))
                .set(
                        "rate_start",
                        rate.flatMap(FixedRate::start).map(Times::micros).orElse(null))
                .set("missed", missedName(schedule.missed()))
                .set("missed_limit", missedLimit(schedule.missed()))
                .set("overlap", schedule.overlap().name())
                .set("task", NewTaskBytes.write(schedule.task()))
                .set("set_by", info.setBy().name())
                .set("paused", info.paused());
    }

    private static Values setRuns(Values values, ScheduleInfo info) {
        return values.set("next_run", info.nextRun().map(Times::micros).orElse(null))
                .set("last_run", info.lastRun().map(Times::micros).orElse(null))
                .set("last_task", TaskRowMapper.orNull(info.lastTask().orElse(0)))
                .set(
                        "last_skip",
                        info.lastSkip().map(skip -> Times.micros(skip.due())).orElse(null))
                .set(
                        "skip_reason",
                        info.lastSkip().map(ScheduleInfo.Skip::reason).orElse(null));
    }

    private static String missedName(MissedRuns missed) {
        return missed.match(skip -> "SKIP", runOnce -> "RUN_ONCE", catchUp -> "CATCH_UP");
    }

    private static @Nullable Long missedLimit(MissedRuns missed) {
        Optional<Long> limit = missed.match(
                skip -> Optional.of(Times.micros(skip.tolerance())),
                runOnce -> Optional.empty(),
                catchUp -> Optional.of((long) catchUp.most()));
        return limit.orElse(null);
    }

    private static MissedRuns readMissed(String name, long limit) {
        return switch (name) {
            case "SKIP" -> MissedRuns.skip(Times.duration(limit));
            case "RUN_ONCE" -> MissedRuns.runOnce();
            case "CATCH_UP" -> MissedRuns.catchUp((int) limit);
            default -> throw new StorageException("this version does not know the missed runs '" + name + "'");
        };
    }

    private static Optional<ScheduleInfo> readOrLeave(ResultSet row, Consumer<StorageException> unreadable)
            throws SQLException {
        try {
            return Optional.of(read(row));
        } catch (StorageException e) {
            unreadable.accept(e);
            return Optional.empty();
        }
    }

    private static ScheduleInfo read(ResultSet row) throws SQLException {
        try {
            return readAll(row);
        } catch (InvalidRequestException | DateTimeException | IllegalArgumentException | StorageException e) {
            throw new StorageException("The schedule '" + row.getString(1) + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static ScheduleInfo readAll(ResultSet row) throws SQLException {
        String cron = row.getString(2);
        Cadence cadence = cron != null
                ? Cron.of(cron, ZoneId.of(row.getString(3)))
                : FixedRate.of(Times.duration(row.getLong(4))).startingAt(Times.instant(row.getLong(5)));
        Schedule schedule = new Schedule(
                row.getString(1),
                cadence,
                NewTaskBytes.read(row.getBytes(9)).orElseThrow(),
                readMissed(row.getString(6), row.getLong(7)),
                Schedule.Overlap.valueOf(row.getString(8)));
        long lastTask = row.getLong(15);
        long lastSkip = row.getLong(16);
        String reason = row.getString(17);
        return new ScheduleInfo(
                schedule,
                QueueInfo.SetBy.valueOf(row.getString(10)),
                row.getInt(11) != 0,
                Times.instant(row.getLong(12)),
                Times.optional(row.getLong(13)),
                Times.optional(row.getLong(14)),
                lastTask == 0 ? OptionalLong.empty() : OptionalLong.of(lastTask),
                lastSkip == 0
                        ? Optional.empty()
                        : Optional.of(new ScheduleInfo.Skip(Times.instant(lastSkip), reason == null ? "" : reason)));
    }
}
