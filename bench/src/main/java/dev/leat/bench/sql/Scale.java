package dev.leat.bench.sql;

import java.time.Duration;

/** How much of a workload is run. */
enum Scale {
    FULL,
    /** Enough to see that everything works; the figures are rough. */
    QUICK,
    /** Before the first round, to load and compile code; not counted. */
    WARM_UP;

    private static final Duration WARM_UP_TIME = Duration.ofSeconds(15);
    private static final Duration QUICK_WARM_UP_TIME = Duration.ofSeconds(3);

    /** How long each contender warms up at least; a JVM needs some ten seconds until its code is compiled. */
    Duration warmUp() {
        return this == FULL ? WARM_UP_TIME : QUICK_WARM_UP_TIME;
    }

    int of(int full, int quick, int warmUp) {
        return switch (this) {
            case FULL -> full;
            case QUICK -> quick;
            case WARM_UP -> warmUp;
        };
    }
}
