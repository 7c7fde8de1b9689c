package dev.leat.internal;

import dev.leat.error.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Checks the names and numbers of callers. */
public final class Checks {
    private static final int MAX_QUEUE_NAME = 128;
    private static final int MAX_NAME = 512;
    private static final int MAX_ENTRIES = 64;
    /** A hundred years. Longer durations are mistakes, and their sums would leave the range of times. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private static final Instant LATEST = Instant.parse("9000-01-01T00:00:00Z");

    private Checks() {}

    public static String queueName(String queue) {
        boolean legal = !queue.isEmpty() && queue.length() <= MAX_QUEUE_NAME;
        for (int i = 0; legal && i < queue.length(); i++) {
            legal = isQueueNameChar(queue.charAt(i));
        }
        if (!legal) {
            throw new InvalidRequestException(
                    "queue",
                    "name must be 1 to " + MAX_QUEUE_NAME + " of letters, digits and _ - . : but was '" + queue + "'");
        }
        return queue;
    }

    private static boolean isQueueNameChar(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '-'
                || c == '.'
                || c == ':';
    }

    public static String name(String field, String value) {
        if (value.isBlank()) {
            throw new InvalidRequestException(field, "must not be blank");
        }
        if (value.length() > MAX_NAME) {
            throw new InvalidRequestException(
                    field, "must have at most " + MAX_NAME + " characters, had " + value.length());
        }
        if (value.indexOf('\0') >= 0) {
            throw new InvalidRequestException(field, "must not contain the NUL character");
        }
        return value;
    }

    public static Duration positive(String field, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new InvalidRequestException(field, "must be more than zero, was " + value);
        }
        return notTooLong(field, value);
    }

    public static Duration notNegative(String field, Duration value) {
        if (value.isNegative()) {
            throw new InvalidRequestException(field, "must not be negative, was " + value);
        }
        return notTooLong(field, value);
    }

    private static Duration notTooLong(String field, Duration value) {
        if (value.compareTo(LONGEST) > 0) {
            throw new InvalidRequestException(
                    field,
                    "must be at most " + LONGEST.toDays() + " days, was " + value + "; leave it out for no limit");
        }
        return value;
    }

    public static Instant notTooLate(String field, Instant value) {
        if (value.isAfter(LATEST)) {
            throw new InvalidRequestException(field, "must not be after " + LATEST + ", was " + value);
        }
        return value;
    }

    public static int atLeast(String field, int least, int value) {
        if (value < least) {
            throw new InvalidRequestException(field, "must be at least " + least + ", was " + value);
        }
        return value;
    }

    public static <V> Map<String, V> with(String field, Map<String, V> map, String name, V value) {
        name(field, name);
        Map<String, V> copy = new HashMap<>(map);
        copy.put(name, value);
        if (copy.size() > MAX_ENTRIES) {
            throw new InvalidRequestException(field, "entries are limited to " + MAX_ENTRIES);
        }
        return Map.copyOf(copy);
    }
}
