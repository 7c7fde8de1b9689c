package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;

/** A task of the same group that another one waits for; see {@link NewTask.Builder#after}. */
public sealed interface Predecessor {
    /** What the other task has to come to. */
    enum Until {
        /** It is acknowledged. If it ends in any other way, the one that waits is canceled. */
        DONE,
        /** It has ended, well or not. */
        ENDED
    }

    Until until();

    /** A task that is there already. */
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
     * @param position its place among the tasks of the call, from 0; it must come before the one that waits
     */
    record InPut(int position, Until until) implements Predecessor {
        public InPut {
            Checks.atLeast("after", 0, position);
        }
    }
}
