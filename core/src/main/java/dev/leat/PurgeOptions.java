package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * When, and how much at once, finished tasks that were kept long enough are removed from a database. They can be seen no longer in
 * any case. Once a minute one process of the fleet begins a run; give all processes the same options. Immutable.
 *
 * @param minutes the minutes of the hour in which a run may begin, by the database's clock in UTC; empty for all of them
 * @param mostPerRun how many rows one run removes at most; what is left is the next one's
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

    /** Whenever it is due, and at most a million rows in a run, which is a million in a minute. */
    public static PurgeOptions standard() {
        return STANDARD;
    }

    public PurgeOptions minutes(int... minutes) {
        return new PurgeOptions(Arrays.stream(minutes).boxed().collect(Collectors.toSet()), mostPerRun);
    }

    /** Minutes as crontab has them, such as {@code 0} or {@code 0,15,30,45}. */
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
