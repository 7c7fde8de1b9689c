package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;

/** A task that another task of the same group waits for; see {@link NewTask.Builder#after}. */
public sealed interface Predecessor {
    /** The end that the waiting task needs. */
    enum Until {
        /** The predecessor is DONE. If it ends in another way, the waiting task is canceled. */
        DONE,
        /** The predecessor has ended in any way. */
        ENDED
    }

    Until until();

    /** A task that was put before. */
    record Known(long task, Until until) implements Predecessor {
        public Known {
            if (task <= 0) {
                throw new InvalidRequestException("after", "must be the ids of tasks, was " + task);
            }
        }
    }

    /**
     * A task that the same call puts.
     *
     * @param position the position among the tasks of the call, from 0; it must be before the waiting task
     */
    record InPut(int position, Until until) implements Predecessor {
        public InPut {
            Checks.atLeast("after", 0, position);
        }
    }
}
