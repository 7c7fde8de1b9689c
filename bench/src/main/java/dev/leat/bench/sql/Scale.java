package dev.leat.bench.sql;

/** How much of a workload is run. */
enum Scale {
    FULL,
    /** Enough to see that everything works; the figures are rough. */
    QUICK,
    /** Before the first round, to load and compile code; not counted. */
    WARM_UP;

    int of(int full, int quick, int warmUp) {
        return switch (this) {
            case FULL -> full;
            case QUICK -> quick;
            case WARM_UP -> warmUp;
        };
    }
}
