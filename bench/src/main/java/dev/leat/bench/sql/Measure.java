package dev.leat.bench.sql;

import java.util.Locale;

/** Something that a workload measures of each contender. */
record Measure(String name, Unit unit) {

    /** How a figure is written. */
    enum Unit {
        TASKS_PER_SECOND("tasks/s", "%,.0f"),
        STATEMENTS_PER_SECOND("statements/s", "%,.2f"),
        MILLISECONDS("ms", "%,.2f"),
        SECONDS("s", "%,.2f"),
        BYTES_PER_TASK("bytes/task", "%,.0f"),
        BUFFERS("buffers", "%,.1f"),
        TAKES("takes", "%,.0f"),
        TIMES("×", "%,.2f");

        private final String sign;
        private final String format;

        Unit(String sign, String format) {
            this.sign = sign;
            this.format = format;
        }

        boolean isTime() {
            return this == MILLISECONDS || this == SECONDS;
        }

        String sign() {
            return sign;
        }

        String write(double value) {
            return String.format(Locale.ROOT, format, value) + " " + sign;
        }
    }

    static Measure rate(String name) {
        return new Measure(name, Unit.TASKS_PER_SECOND);
    }

    static Measure milliseconds(String name) {
        return new Measure(name, Unit.MILLISECONDS);
    }

    static Measure wal(String name) {
        return new Measure(name, Unit.BYTES_PER_TASK);
    }

    static Measure buffers(String name) {
        return new Measure(name, Unit.BUFFERS);
    }
}
