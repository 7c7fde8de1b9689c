package dev.leat.bench;

import java.util.Optional;

/**
 * Something to measure, again and again in the same way.
 *
 * @param name what is measured
 * @param tasks how many tasks one run works off
 * @param comparedWith the case that it is compared with; empty when it is a baseline itself
 * @param bar what it has to reach
 * @param run works off the tasks and answers how many nanoseconds that took, without what was prepared for it
 */
record Case(String name, int tasks, Optional<Case> comparedWith, Optional<Bar> bar, Run run) {

    /** One run. */
    interface Run {
        long nanos() throws Exception;
    }

    static Case of(String name, int tasks, Run run) {
        return new Case(name, tasks, Optional.empty(), Optional.empty(), run);
    }

    Case against(Case baseline) {
        return new Case(name, tasks, Optional.of(baseline), bar, run);
    }

    Case mustReach(Bar least) {
        return new Case(name, tasks, comparedWith, Optional.of(least), run);
    }

    Case baseline() {
        return comparedWith.orElse(this);
    }
}
