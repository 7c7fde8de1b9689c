package dev.leat.bench.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * What came out of putting and working at once for a while.
 *
 * @param tasks how many were put and worked off
 * @param start when that began
 * @param end when the last one was settled
 * @param samples how many were handled at some moments, in order
 */
record Sustained(long tasks, long start, long end, List<Sample> samples) {

    record Sample(long nanos, long handled) {}

    static Sustained parse(String answer) {
        String[] words = answer.split(" ");
        List<Sample> samples = new ArrayList<>();
        for (int i = 3; i < words.length; i++) {
            int colon = words[i].indexOf(':');
            samples.add(new Sample(
                    Long.parseLong(words[i].substring(0, colon)), Long.parseLong(words[i].substring(colon + 1))));
        }
        return new Sustained(
                Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), List.copyOf(samples));
    }

    double tasksPerSecond() {
        return tasks / ((end - start) / 1e9);
    }

    /** The rate between two moments, in seconds since the start. */
    double tasksPerSecond(double from, double to) {
        Sample first = sampleAt(from);
        Sample last = sampleAt(to);
        return (last.handled() - first.handled()) / ((last.nanos() - first.nanos()) / 1e9);
    }

    private Sample sampleAt(double seconds) {
        long moment = start + (long) (seconds * 1e9);
        return samples.stream()
                .filter(sample -> sample.nanos() >= moment)
                .findFirst()
                .orElse(samples.get(samples.size() - 1));
    }
}
