package dev.leat.sql.internal.row;

import dev.leat.NewTask;
import dev.leat.When;
import dev.leat.queue.QueueOptions;

/**
 * Decides which tasks are plain. The columns of {@code insert-plain} describe a plain task completely. The fast path puts plain
 * tasks of several callers in one statement.
 */
public final class PlainTasks {
    private PlainTasks() {}

    /** Whether {@code insert-plain} can write the row. */
    public static boolean fitPlainColumns(TaskRow row) {
        return row.random == 0 && row.takeType == null && row.spread == null && fitPlainColumns(row.given);
    }

    /**
     * Whether the fast path can put the task. The statement checks neither names (address, idempotency key, equivalence, which
     * needs an external key) nor the queue's capacity. The due time must be relative, since only the database knows its time.
     */
    public static boolean canUseFastPath(QueueRow queue, NewTask task) {
        return task.due() instanceof When.In
                && task.idempotencyKey().isEmpty()
                && fitPlainColumns(task)
                && fitPlainColumns(queue);
    }

    private static boolean fitPlainColumns(NewTask task) {
        return task.ttr().isEmpty()
                && task.address().isEmpty()
                && task.group().isEmpty()
                && task.after().isEmpty()
                && task.type().isEmpty()
                && task.tenant().isEmpty()
                && task.businessGroup().isEmpty()
                && task.origin().isEmpty()
                && task.destination().isEmpty()
                && task.externalKey().isEmpty()
                && task.tags().isEmpty()
                && task.trace().isEmpty()
                && task.deadOf().isEmpty()
                && task.subscriber().isEmpty()
                && !task.isPublication();
    }

    /** Whether the queue counts no tasks on a put, and its takes need no column beyond the plain ones. */
    private static boolean fitPlainColumns(QueueRow queue) {
        return queue.options().capacity() == 0
                && queue.options().placeBy() == QueueOptions.PlaceBy.ID
                && queue.options().typeFilter() == QueueOptions.TypeFilter.OFF
                && !queue.takesAtRandom()
                && !queue.takesTenantsInTurn()
                && QueueRow.spreadTag(queue.options()).isEmpty();
    }
}
