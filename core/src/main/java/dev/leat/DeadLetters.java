package dev.leat;

import java.util.List;
import java.util.function.ToLongFunction;

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
    private static final int BLOCK = 500;

    private final Leat leat;

    DeadLetters(Leat leat) {
        this.leat = leat;
    }

    /** A page of those that {@code query} describes, whatever states it names. */
    public List<Task> list(TaskQuery query) {
        return leat.list(query.state(TaskState.BURIED));
    }

    /** How many {@code query} describes, whatever its limit. */
    public long count(TaskQuery query) {
        return each(query, List::size);
    }

    /**
     * Lets those run again that {@code query} describes, whatever its limit; answers how many. Whose address another task has meanwhile
     * stay where they are.
     */
    public long redrive(TaskQuery query) {
        return each(query, page -> page.stream().filter(this::redrive).count());
    }

    private boolean redrive(Task task) {
        try {
            return leat.kick(task.id()) != TaskState.BURIED;
        } catch (AddressInUseException | TaskNotFoundException e) {
            return false;
        }
    }

    private long each(TaskQuery query, ToLongFunction<List<Task>> of) {
        long sum = 0;
        TaskQuery next = query.limit(BLOCK);
        List<Task> page = list(next);
        while (!page.isEmpty()) {
            sum += of.applyAsLong(page);
            next = next.after(page.get(page.size() - 1).id());
            page = page.size() < BLOCK ? List.of() : list(next);
        }
        return sum;
    }
}
