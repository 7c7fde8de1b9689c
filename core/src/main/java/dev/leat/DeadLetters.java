package dev.leat;

import dev.leat.storage.Redriven;
import java.util.List;
import java.util.OptionalLong;

/**
 * The buried tasks: exhausted ones, and those that a handler or an operator buried. Their failed attempts are kept when they run again.
 *
 * <pre>{@code
 * TaskQuery timeouts = TaskQuery.of("emails").message("timed out");
 * if (leat.deadLetters().count(timeouts) < 1_000) {
 *     leat.deadLetters().redrive(timeouts);
 * }
 * }</pre>
 */
public final class DeadLetters {
    /** A count stops here, so that it stays cheap. */
    public static final int MOST_COUNTED = 100_000;

    private static final int BLOCK = 500;

    private final Leat leat;

    DeadLetters(Leat leat) {
        this.leat = leat;
    }

    /** Returns a page of the buried tasks that match the query; the states of the query do not count. */
    public List<Task> list(TaskQuery query) {
        return leat.list(query.state(TaskState.BURIED));
    }

    /** Counts the buried tasks that match the query, beyond its limit; {@link #MOST_COUNTED} means that many or more. */
    public long count(TaskQuery query) {
        return leat.storage().countBuried(query, MOST_COUNTED);
    }

    /**
     * Kicks all buried tasks that match the query, beyond its limit, and returns how many. A task stays buried if another live task has its
     * address.
     */
    public long redrive(TaskQuery query) {
        long count = 0;
        TaskQuery next = query.limit(BLOCK);
        OptionalLong last;
        do {
            Redriven block = leat.storage().redrive(next);
            count += block.kicked().size();
            last = block.next();
            next = next.after(last.orElse(0));
        } while (last.isPresent());
        return count;
    }
}
