package dev.leat.cli.console;

import dev.leat.json.DurationText;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages of the core have durations as Java writes them, {@code PT5M}; people read {@code 5m}. */
public final class IsoDurations {
    /** Text in quotes is a name that the user chose; an apostrophe within a word begins no quotes. */
    private static final Pattern QUOTED_OR_ISO =
            Pattern.compile("(?<!\\w)'[^']*'|\"[^\"]*\"|(\\bPT-?\\d[\\dHMS.-]*[HMS])");

    private IsoDurations() {}

    public static String plain(String text) {
        return QUOTED_OR_ISO
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group(1) == null ? found.group() : plainDuration(found.group())));
    }

    private static String plainDuration(String iso) {
        try {
            return DurationText.format(Duration.parse(iso));
        } catch (DateTimeParseException e) {
            return iso;
        }
    }
}
