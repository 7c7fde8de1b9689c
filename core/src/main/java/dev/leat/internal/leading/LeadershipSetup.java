package dev.leat.internal.leading;

import dev.leat.Leadership;
import dev.leat.error.InvalidRequestException;
import dev.leat.storage.Lock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Builds a candidate from the work of a leader. */
public final class LeadershipSetup implements Leadership.Builder {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MAX_NAME = 256;

    private final String name;
    private final Lock lock;
    private final Consumer<Leadership> started;
    private final List<Assignment> assignments = new ArrayList<>();
    private Duration lease = Duration.ofSeconds(6);

    /** @param started receives the started candidate */
    public LeadershipSetup(String name, Lock lock, Consumer<Leadership> started) {
        if (name.isBlank() || name.length() > MAX_NAME || name.indexOf('\0') >= 0) {
            throw new InvalidRequestException(
                    "leader", "must have a name of at most " + MAX_NAME + " characters, was '" + name + "'");
        }
        this.name = name;
        this.lock = lock;
        this.started = started;
    }

    @Override
    public LeadershipSetup whileLeading(Leadership.Work work) {
        assignments.add(new Assignment.Once(work));
        return this;
    }

    @Override
    public LeadershipSetup every(Duration pause, Leadership.Work work) {
        if (pause.isNegative() || pause.isZero()) {
            throw new InvalidRequestException("pause", "must be more than zero, was " + pause);
        }
        assignments.add(new Assignment.Repeated(work, pause));
        return this;
    }

    @Override
    public LeadershipSetup lease(Duration lease) {
        if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0) {
            throw new InvalidRequestException(
                    "lease", "must be from " + SHORTEST + " to " + LONGEST + ", was " + lease);
        }
        this.lease = lease;
        return this;
    }

    @Override
    public Leadership start() {
        Candidate candidate = new Candidate(name, lock, lease, List.copyOf(assignments));
        started.accept(candidate);
        candidate.start();
        return candidate;
    }
}
