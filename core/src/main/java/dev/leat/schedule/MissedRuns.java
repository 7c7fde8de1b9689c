package dev.leat.schedule;

import dev.leat.error.InvalidRequestException;
import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.Function;

/** What becomes of the runs of a schedule whose time has come while nobody was there to put them. */
public sealed interface MissedRuns {

    /** Only a run that is not more than a minute late is put; of several, only the latest. */
    static MissedRuns skip() {
        return skip(Duration.ofMinutes(1));
    }

    /** Only a run that is not more than {@code tolerance} late is put; of several, only the latest. */
    static MissedRuns skip(Duration tolerance) {
        return new Skip(tolerance);
    }

    /** One run, for the latest of the times, stands for all of them. */
    static MissedRuns runOnce() {
        return new RunOnce();
    }

    /** All of them are put, but not more than the latest {@code most}. */
    static MissedRuns catchUp(int most) {
        return new CatchUp(most);
    }

    /** How many runs are put at once. */
    int most();

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(
            Function<? super Skip, T> skip,
            Function<? super RunOnce, T> runOnce,
            Function<? super CatchUp, T> catchUp);

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
        /** They are put in one transaction. */
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
