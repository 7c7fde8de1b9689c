package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * When Leat purges a database, and how many rows at once. A task past its retention is hidden even before the purge. Once a minute one process
 * of the fleet begins a run. Give all processes the same options. Immutable.
 *
 * @param minutes the minutes of the hour in which a run may begin, by the database's clock in UTC; empty for all of them
 * @param mostPerRun how many rows one run removes at most; the next run removes the rest
 */
public record PurgeOptions(Set<Integer> minutes, int mostPerRun) {
    private static final PurgeOptions STANDARD = new PurgeOptions(Set.of(), 1_000_000);

    public PurgeOptions {
        for (int minute : minutes) {
            if (minute < 0 || minute > 59) {
                throw new InvalidRequestException("minutes", "must be of 0 to 59, was " + minute);
            }
        }
        Checks.atLeast("mostPerRun", 1, mostPerRun);
        minutes = Set.copyOf(minutes);
    }

    /** A run each minute, of at most a million rows. */
    public static PurgeOptions standard() {
        return STANDARD;
    }

    public PurgeOptions minutes(int... minutes) {
        return new PurgeOptions(Arrays.stream(minutes).boxed().collect(Collectors.toSet()), mostPerRun);
    }

    /** Takes minutes in the form of crontab, such as {@code 0} or {@code 0,15,30,45}. */
    public PurgeOptions minutes(String list) {
        try {
            return minutes(Arrays.stream(list.split(",", -1))
                    .map(String::strip)
                    .mapToInt(Integer::parseInt)
                    .toArray());
        } catch (NumberFormatException e) {
            throw new InvalidRequestException("minutes", "must be numbers with commas, was '" + list + "'", e);
        }
    }

    public PurgeOptions mostPerRun(int rows) {
        return new PurgeOptions(minutes, rows);
    }

    /** Whether a run may begin at this moment. */
    public boolean mayBeginAt(Instant now) {
        return minutes.isEmpty()
                || minutes.contains(now.atOffset(ZoneOffset.UTC).getMinute());
    }
}
