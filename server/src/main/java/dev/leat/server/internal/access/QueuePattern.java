package dev.leat.server.internal.access;

import dev.leat.error.InvalidRequestException;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A pattern of queue names, such as {@code emails} or {@code billing.*}; a star stands for any characters, or none. */
public final class QueuePattern {
    private static final Pattern RIGHT = Pattern.compile("[A-Za-z0-9_.:*-]{1,128}");

    private final String text;
    private final Pattern names;

    public QueuePattern(String text) {
        if (!RIGHT.matcher(text).matches()) {
            throw new InvalidRequestException(
                    "queues", "must be 1 to 128 letters, digits and _ - . : *, was '" + text + "'");
        }
        this.text = text;
        this.names = Pattern.compile(
                Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    boolean matches(String queue) {
        return names.matcher(queue).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
