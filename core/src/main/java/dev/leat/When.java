package dev.leat;

import dev.leat.internal.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/** A moment: an instant, or a delay from the storage's present time. */
public sealed interface When {

    /** At once. */
    static When now() {
        return In.NOTHING;
    }

    /** After {@code delay} on the storage's clock; a delay of zero or less is now. */
    static When in(Duration delay) {
        return delay.isZero() || delay.isNegative() ? In.NOTHING : new In(delay);
    }

    /** At an instant of the storage's clock; one in the past is now. */
    static When at(Instant instant) {
        return new At(instant);
    }

    /** Returns the instant when the storage's clock shows {@code now}; never an instant before {@code now}. */
    Instant after(Instant now);

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(Function<? super In, T> in, Function<? super At, T> at);

    record In(Duration delay) implements When {
        private static final In NOTHING = new In(Duration.ZERO);

        public In {
            Checks.notNegative("delay", delay);
        }

        @Override
        public Instant after(Instant now) {
            return delay.isZero() ? now : now.plus(delay);
        }

        @Override
        public <T> T match(Function<? super In, T> in, Function<? super At, T> at) {
            return in.apply(this);
        }
    }

    record At(Instant instant) implements When {
        public At {
            Checks.notTooLate("due", instant);
        }

        @Override
        public Instant after(Instant now) {
            return instant.isAfter(now) ? instant : now;
        }

        @Override
        public <T> T match(Function<? super In, T> in, Function<? super At, T> at) {
            return at.apply(this);
        }
    }
}
