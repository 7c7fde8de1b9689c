package dev.leat.schedule;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.Function;

/** What becomes of runs that were due while no process was running. */
public sealed interface MissedRuns {

    /** Puts only the latest run, and only if it is at most a minute late. */
    static MissedRuns skip() {
        return skip(Duration.ofMinutes(1));
    }

    /** Puts only the latest run, and only if it is at most {@code tolerance} late. */
    static MissedRuns skip(Duration tolerance) {
        return new Skip(tolerance);
    }

    /** Puts one run, the latest, instead of all missed ones. */
    static MissedRuns runOnce() {
        return new RunOnce();
    }

    /** Puts all missed runs, but at most the latest {@code most}. */
    static MissedRuns catchUp(int most) {
        return new CatchUp(most);
    }

    /** The largest number of runs to put at once. */
    int most();

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Skip, T> skip, Function<? super RunOnce, T> runOnce, Function<? super CatchUp, T> catchUp);

    record Skip(Duration tolerance) implements MissedRuns {
        public Skip {
            tolerance = Checks.positive("tolerance", tolerance).truncatedTo(ChronoUnit.MICROS);
        }

        @Override
        public int most() {
            return 1;
        }

        @Override
        public <T> T match(
                Function<? super Skip, T> skip,
                Function<? super RunOnce, T> runOnce,
                Function<? super CatchUp, T> catchUp) {
            return skip.apply(this);
        }
    }

    record RunOnce() implements MissedRuns {
        @Override
        public int most() {
            return 1;
        }

        @Override
        public <T> T match(
                Function<? super Skip, T> skip,
                Function<? super RunOnce, T> runOnce,
                Function<? super CatchUp, T> catchUp) {
            return runOnce.apply(this);
        }
    }

    record CatchUp(int most) implements MissedRuns {
        /** One transaction puts all of them. */
        public static final int MAX = 1_000;

        public CatchUp {
            if (Checks.atLeast("catchUp", 1, most) > MAX) {
                throw new InvalidRequestException("catchUp", "must be at most " + MAX + ", was " + most);
            }
        }

        @Override
        public <T> T match(
                Function<? super Skip, T> skip,
                Function<? super RunOnce, T> runOnce,
                Function<? super CatchUp, T> catchUp) {
            return catchUp.apply(this);
        }
    }
}
