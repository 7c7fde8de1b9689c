package dev.leat;

import dev.leat.storage.Redriven;
import java.util.List;
import java.util.OptionalLong;

/**
 * The tasks that were put aside for a human: those that ran out of attempts, and those that somebody buried. What they failed with is kept
 * when they run again.
 *
 * <pre>{@code
 * TaskQuery timeouts = TaskQuery.of("emails").message("timed out");
 * if (leat.deadLetters().count(timeouts) < 1_000) {
 *     leat.deadLetters().redrive(timeouts);
 * }
 * }</pre>
 */
public final class DeadLetters {
    /** No more are counted, so that a count is cheap. */
    public static final int MOST_COUNTED = 100_000;

    private static final int BLOCK = 500;

    private final Leat leat;

    DeadLetters(Leat leat) {
        this.leat = leat;
    }

    /** A page of those that {@code query} describes, whatever states it names. */
    public List<Task> list(TaskQuery query) {
        return leat.list(query.state(TaskState.BURIED));
    }

    /** How many {@code query} describes, whatever its limit; {@link #MOST_COUNTED} means that many or more. */
    public long count(TaskQuery query) {
        return leat.storage().countBuried(query, MOST_COUNTED);
    }

    /**
     * Lets those run again that {@code query} describes, whatever its limit; answers how many. Whose address another task has meanwhile
     * stay where they are.
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
