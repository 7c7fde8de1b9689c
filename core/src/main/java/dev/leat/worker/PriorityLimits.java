package dev.leat.worker;

import dev.leat.error.InvalidRequestException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Limits the running tasks by priority. With {@code {0: 10, 1: 5}}, tasks of priority 1 and above start only while fewer than 5 tasks run, so 5 of
 * the 10 slots are kept for priority 0.
 */
public final class PriorityLimits {
    private final NavigableMap<Integer, Integer> limits;

    private PriorityLimits(NavigableMap<Integer, Integer> limits) {
        this.limits = limits;
    }

    /**
     * Checks the limits.
     *
     * @param limits by priority: a task of this priority starts only while fewer tasks run
     */
    public static PriorityLimits of(Map<Integer, Integer> limits) {
        if (limits.isEmpty()) {
            throw new InvalidRequestException("priorityLimits", "must name at least one priority");
        }
        NavigableMap<Integer, Integer> sorted = new TreeMap<>(limits);
        int previous = Integer.MAX_VALUE;
        for (Map.Entry<Integer, Integer> level : sorted.entrySet()) {
            if (level.getValue() < 1) {
                throw new InvalidRequestException(
                        "priorityLimits", "must be at least 1, was " + level.getValue() + " for " + level.getKey());
            }
            if (level.getValue() > previous) {
                throw new InvalidRequestException(
                        "priorityLimits",
                        "give priority " + level.getKey() + " more slots than a more important one: higher priorities"
                                + " may not have lower concurrency than lower priorities");
            }
            previous = level.getValue();
        }
        return new PriorityLimits(sorted);
    }

    /** The largest number of running tasks. */
    public int most() {
        return limits.firstEntry().getValue();
    }

    /** How many tasks may start, and the largest priority number among them. */
    public record Room(int maxPriority, int count) {}

    /**
     * Returns what may start while {@code running} tasks run: the least important level that has room. The least important level admits every
     * priority.
     */
    public Room room(int running) {
        for (Map.Entry<Integer, Integer> level : limits.descendingMap().entrySet()) {
            if (running < level.getValue()) {
                boolean least = level.getKey().equals(limits.lastKey());
                return new Room(least ? Integer.MAX_VALUE : level.getKey(), level.getValue() - running);
            }
        }
        return new Room(Integer.MIN_VALUE, 0);
    }
}
