package dev.leat.bench;

import java.util.Locale;
import java.util.function.Predicate;

/**
 * What a figure has to reach.
 *
 * @param text as people read it
 * @param met whether the figure does
 */
record Bar(String text, Predicate<Figure> met) {

    static Bar tasksPerSecond(int least) {
        return new Bar(String.format(Locale.ROOT, "> %,d/s", least), figure -> figure.tasksPerSecond() > least);
    }

    static Bar seconds(double most) {
        return new Bar(String.format(Locale.ROOT, "< %.0f s", most), figure -> figure.seconds() < most);
    }

    static Bar ratio(double least) {
        return new Bar(String.format(Locale.ROOT, "> %.1f ×", least), figure -> figure.ratio() > least);
    }
}
