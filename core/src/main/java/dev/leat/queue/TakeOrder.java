package dev.leat.queue;

import dev.leat.internal.Checks;
import java.util.function.Function;

/**
 * The order in which a take gets tasks of the same priority. Priority always comes first.
 *
 * <p>A queue declares its orders ({@link QueueOptions#takeOrders()}), so that each has an index.
 */
public sealed interface TakeOrder {

    static TakeOrder oldest() {
        return Simple.OLDEST;
    }

    static TakeOrder newest() {
        return Simple.NEWEST;
    }

    static TakeOrder random() {
        return Simple.RANDOM;
    }

    /** Fewest running tasks with the same value of {@code tag} first, then oldest. */
    static TakeOrder preferDistinct(String tag) {
        return new PreferDistinct(tag, Simple.OLDEST);
    }

    /** Fewest running tasks with the same value of {@code tag} first, then {@code ties}. */
    static TakeOrder preferDistinct(String tag, Simple ties) {
        return new PreferDistinct(tag, ties);
    }

    /** Applies the function for this kind. A new kind adds a parameter, so the compiler finds every caller. */
    <T> T match(Function<? super Simple, T> simple, Function<? super PreferDistinct, T> preferDistinct);

    enum Simple implements TakeOrder {
        /** By place, or by due time where the queue's options say so. */
        OLDEST,
        NEWEST,
        RANDOM;

        @Override
        public <T> T match(Function<? super Simple, T> simple, Function<? super PreferDistinct, T> preferDistinct) {
            return simple.apply(this);
        }
    }

    /**
     * Spreads the running tasks evenly over the values of a tag; tasks without the tag go first.
     *
     * @param tag the name of the tag
     * @param ties the order among tasks of the chosen value
     */
    record PreferDistinct(String tag, Simple ties) implements TakeOrder {
        public PreferDistinct {
            Checks.name("tag", tag);
        }

        @Override
        public String toString() {
            return "prefer distinct " + tag;
        }

        @Override
        public <T> T match(Function<? super Simple, T> simple, Function<? super PreferDistinct, T> preferDistinct) {
            return preferDistinct.apply(this);
        }
    }
}
