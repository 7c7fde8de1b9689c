package dev.leat.storage;

import dev.leat.TaskState;
import dev.leat.error.QueueInUseException;
import dev.leat.queue.QueueInfo;

/** What operators may do to tasks and queues in which state. An action that is not possible changes nothing. */
public final class OperatorRules {
    private OperatorRules() {}

    /** What a cancel does (rule 11). */
    public enum Cancel {
        /** The holder is asked to stop. */
        ASK_HOLDER,
        /** The task ends at once. */
        END,
        /** The task has ended, or its holder was asked before. */
        NOTHING;

        public static Cancel of(TaskState state, boolean cancelRequested) {
            if (state == TaskState.TAKEN) {
                return cancelRequested ? NOTHING : ASK_HOLDER;
            }
            return state.isLive() ? END : NOTHING;
        }
    }

    public static boolean mayDelete(TaskState state) {
        return state.isLive();
    }

    public static boolean mayBury(TaskState state) {
        return !TaskStatus.hasEnded(state);
    }

    public static boolean mayKick(TaskState state) {
        return state == TaskState.BURIED;
    }

    /** Code never overrules an operator (rule 28). */
    public static boolean mayChange(QueueInfo.SetBy known, QueueInfo.SetBy by) {
        return by == QueueInfo.SetBy.OPERATOR || known == QueueInfo.SetBy.CODE;
    }

    /** Refuses to drop a queue whose tasks run, or whose consumers wait. */
    public static void checkMayDrop(String queue, long taken, int consumers) {
        if (taken > 0) {
            throw new QueueInUseException(queue, taken + " of its tasks are taken");
        }
        if (consumers > 0) {
            throw new QueueInUseException(queue, consumers + " consumers wait for its tasks");
        }
    }
}
