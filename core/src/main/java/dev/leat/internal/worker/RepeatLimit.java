package dev.leat.internal.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Limits repeated lines in the log: it writes the first five lines of a kind in a minute, and counts the others in one line per minute, until a
 * minute has at most five more of them.
 *
 * <p>Remembers at most 100 kinds; lines of further kinds count together by queue. Thread-safe.
 */
final class RepeatLimit implements AutoCloseable {
    static final int WRITTEN = 5;
    static final int MOST_KINDS = 100;
    static final Duration WINDOW = Duration.ofMinutes(1);

    /** Lines of one level and queue, about errors of one class from one place in the code. */
    record Kind(Level level, String queue, String error, String place) {
        static Kind of(Level level, String queue, @Nullable Throwable error) {
            if (error == null) {
                return new Kind(level, queue, "failures without an exception", "");
            }
            StackTraceElement[] stack = error.getStackTrace();
            return new Kind(level, queue, error.getClass().getName(), stack.length == 0 ? "" : " at " + stack[0]);
        }

        private Kind further() {
            return new Kind(level, queue, "other errors", "");
        }
    }

    private static final class Count {
        int written;
        long more;
        String last = "";
    }

    private final Logger log;
    private final BiConsumer<Runnable, Duration> later;
    private final Map<Kind, Count> counts = new HashMap<>();
    private boolean closed;

    /** @param later runs a task after a delay */
    RepeatLimit(Logger log, BiConsumer<Runnable, Duration> later) {
        this.log = log;
        this.later = later;
    }

    /** Whether to write the line; otherwise it is counted. */
    synchronized boolean admits(Kind given, String line) {
        if (closed) {
            return true;
        }
        Kind kind = counts.containsKey(given) || counts.size() < MOST_KINDS ? given : given.further();
        Count count = counts.get(kind);
        if (count == null) {
            count = new Count();
            counts.put(kind, count);
            later.accept(() -> endWindow(kind), WINDOW);
        }
        if (count.written < WRITTEN) {
            count.written++;
            return true;
        }
        count.more++;
        count.last = line;
        return false;
    }

    private void endWindow(Kind kind) {
        String summary;
        synchronized (this) {
            Count count = counts.get(kind);
            if (closed || count == null) {
                return;
            }
            summary = summary(kind, count);
            if (count.more <= WRITTEN) {
                counts.remove(kind);
            } else {
                count.more = 0;
                later.accept(() -> endWindow(kind), WINDOW);
            }
        }
        write(kind, summary);
    }

    private static String summary(Kind kind, Count count) {
        return count.more == 0
                ? ""
                : String.format(Locale.ROOT, "And %,d more like it", count.more) + " in queue '" + kind.queue() + "': "
                        + kind.error() + kind.place() + ". The last: " + count.last;
    }

    private void write(Kind kind, String summary) {
        if (!summary.isEmpty()) {
            log.atLevel(kind.level()).log(summary);
        }
    }

    /** Logs all counts; later lines are all written. */
    @Override
    public void close() {
        List<Runnable> summaries = new ArrayList<>();
        synchronized (this) {
            closed = true;
            counts.forEach((kind, count) -> {
                String summary = summary(kind, count);
                summaries.add(() -> write(kind, summary));
            });
            counts.clear();
        }
        summaries.forEach(Runnable::run);
    }
}
