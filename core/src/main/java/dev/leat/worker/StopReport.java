package dev.leat.worker;

import java.util.List;

/**
 * The tasks that a stop gave back.
 *
 * @param givenBack tasks that were taken but not started; they are ready again, uncharged
 * @param abandoned tasks whose handlers did not end in time; they were interrupted and given back, uncharged
 */
public record StopReport(List<Long> givenBack, List<Long> abandoned) {
    /** Whether every handler ended by itself. */
    public boolean clean() {
        return abandoned.isEmpty();
    }
}
