package dev.leat.internal.memory;

import dev.leat.error.ScheduleNotFoundException;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All schedules by name, and those with a next run by that time. Guarded by the storage's lock. */
final class ScheduleTable {
    private final TreeMap<String, ScheduleInfo> byName = new TreeMap<>();
    private final TreeSet<ScheduleInfo> byNextRun = new TreeSet<>(
            Comparator.comparing((ScheduleInfo info) -> info.nextRun().orElse(Instant.MAX))
                    .thenComparing(ScheduleInfo::name));

    ScheduleInfo put(Schedule schedule, QueueInfo.SetBy setBy, Instant now) {
        ScheduleInfo known = byName.get(schedule.name());
        return set(known == null ? ScheduleInfo.first(schedule, setBy, now) : known.again(schedule, setBy, now));
    }

    ScheduleInfo set(ScheduleInfo info) {
        drop(info.name());
        byName.put(info.name(), info);
        if (info.nextRun().isPresent()) {
            byNextRun.add(info);
        }
        return info;
    }

    boolean drop(String name) {
        ScheduleInfo known = byName.remove(name);
        if (known != null) {
            byNextRun.remove(known);
        }
        return known != null;
    }

    Optional<ScheduleInfo> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    ScheduleInfo get(String name) {
        return find(name).orElseThrow(() -> new ScheduleNotFoundException(name));
    }

    List<ScheduleInfo> list(ScheduleQuery query) {
        return byName.tailMap(query.after(), false).values().stream()
                .filter(info -> query.tenant().isEmpty()
                        || query.tenant().equals(info.schedule().tenant()))
                .filter(info -> query.queue().isEmpty()
                        || query.queue().get().equals(info.schedule().queue()))
                .limit(query.limit())
                .toList();
    }

    /** The next run of any schedule; null for never. */
    @Nullable
    Instant next() {
        return byNextRun.isEmpty() ? null : byNextRun.first().nextRun().orElse(null);
    }

    /** The schedule with the earliest run that is due; null if none is due. */
    @Nullable
    ScheduleInfo due(Instant now) {
        Instant next = next();
        return next == null || next.isAfter(now) ? null : byNextRun.first();
    }
}
