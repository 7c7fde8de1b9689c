package dev.leat.cli;

import dev.leat.json.DurationText;
import java.time.Duration;
import java.util.regex.Pattern;

/** Messages of the core have durations as Java writes them, {@code PT5M}; people read {@code 5m}. */
final class IsoDurations {
    private static final Pattern ISO = Pattern.compile("\\bPT-?\\d[\\dHMS.-]*[HMS]");

    private IsoDurations() {}

    static String plain(String text) {
        return ISO.matcher(text).replaceAll(iso -> DurationText.format(Duration.parse(iso.group())));
    }
}
