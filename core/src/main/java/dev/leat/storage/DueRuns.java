package dev.leat.storage;

import dev.leat.NewTask;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleInfo.Skip;
import dev.leat.schedule.ScheduledRun;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/**
 * The runs of a schedule that are due, and the next run. Every storage uses this class. A storage puts the runs and moves the schedule on in one
 * transaction, and only if the schedule has not changed since it was read.
 *
 * @param tasks the tasks to put, in the order of the runs
 * @param runs the times for which a task is put, oldest first
 * @param next the next run
 * @param skip the latest time for which nothing is put
 */
public record DueRuns(List<NewTask> tasks, List<Instant> runs, Instant next, Optional<Skip> skip) {

    /** @param hasNotEnded whether a task is live and not buried; called only with {@link Schedule.Overlap#SKIP} */
    public static DueRuns of(ScheduleInfo info, Instant now, LongPredicate hasNotEnded) {
        Schedule schedule = info.schedule();
        MissedRuns missed = schedule.missed();
        List<Instant> runs = latest(schedule.cadence(), info.nextRun().orElseThrow(), now, missed.most() + 1);
        Optional<Skip> skip = Optional.empty();
        if (runs.size() > missed.most()) {
            skip = Optional.of(new Skip(runs.get(0), superseded(missed)));
            runs = runs.subList(1, runs.size());
        }
        Instant last = runs.get(runs.size() - 1);
        if (missed instanceof MissedRuns.Skip choice
                && Duration.between(last, now).compareTo(choice.tolerance()) > 0) {
            skip = Optional.of(new Skip(last, "more than " + choice.tolerance() + " late"));
            runs = List.of();
        }
        if (schedule.overlap() == Schedule.Overlap.SKIP && !runs.isEmpty()) {
            OptionalLong blocker = mayBlock(info);
            boolean isBusy = blocker.isPresent() && hasNotEnded.test(blocker.getAsLong());
            if (isBusy) {
                skip = Optional.of(new Skip(last, "task " + blocker.getAsLong() + " of the run before has not ended"));
                runs = List.of();
            } else if (runs.size() > 1) {
                skip = Optional.of(
                        new Skip(runs.get(runs.size() - 2), "late, and would have overlapped with the next"));
                runs = List.of(last);
            }
        }
        List<NewTask> tasks = runs.stream()
                .map(run -> new ScheduledRun(schedule.name(), run).task(schedule.task()))
                .toList();
        return new DueRuns(tasks, runs, schedule.cadence().next(now), skip);
    }

    /** The last task of a schedule whose runs must not overlap: no run, and no trigger, puts another while it has not ended. */
    public static OptionalLong mayBlock(ScheduleInfo info) {
        return info.schedule().overlap() == Schedule.Overlap.SKIP ? info.lastTask() : OptionalLong.empty();
    }

    private static String superseded(MissedRuns missed) {
        return missed instanceof MissedRuns.CatchUp
                ? "late, with " + missed.most() + " after it to catch up with"
                : "late, and the run after it stands for both";
    }

    /** The latest times from {@code first}, which is a time of the cadence, to {@code now}: at most {@code most}, oldest first. */
    private static List<Instant> latest(Cadence cadence, Instant first, Instant now, int most) {
        List<Instant> runs = new ArrayList<>();
        for (Instant run = first; !run.isAfter(now); run = cadence.next(run)) {
            if (runs.size() == most) {
                return latestBackwards(cadence, first, now, most);
            }
            runs.add(run);
        }
        return runs;
    }

    /** Counts backwards from {@code now}: after an outage of a week, a step for each second would be too slow. */
    private static List<Instant> latestBackwards(Cadence cadence, Instant first, Instant now, int most) {
        List<Instant> runs = new ArrayList<>();
        for (Instant end = now;
                runs.size() < most;
                end = runs.get(runs.size() - 1).minus(1, ChronoUnit.MICROS)) {
            runs.add(last(cadence, first, end));
        }
        Collections.reverse(runs);
        return runs;
    }

    /** The last time up to {@code end}, found by bisection. */
    private static Instant last(Cadence cadence, Instant first, Instant end) {
        Instant run = first;
        Instant until = end;
        while (!cadence.next(run).isAfter(end)) {
            Instant middle = run.plus(Duration.between(run, until).dividedBy(2));
            Instant next = cadence.next(middle);
            if (next.isAfter(end)) {
                until = middle;
            } else {
                run = next;
            }
        }
        return run;
    }
}
