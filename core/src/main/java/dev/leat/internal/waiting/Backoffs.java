package dev.leat.internal.waiting;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** The pause after the n-th storage error in a row: doubles from 20 ms to 2 s, with a jitter of half. */
public final class Backoffs {
    private static final long FIRST_MILLIS = 20;
    private static final long MOST_MILLIS = 2_000;
    private static final int MAX_DOUBLINGS = 10;

    private Backoffs() {}

    public static Duration after(int errorsInARow) {
        long exact = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(errorsInARow - 1, MAX_DOUBLINGS));
        return Duration.ofMillis(exact / 2 + ThreadLocalRandom.current().nextLong(exact / 2 + 1));
    }
}
