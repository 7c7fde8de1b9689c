package dev.leat.cli.console;

import dev.leat.error.InvalidRequestException;
import dev.leat.json.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import picocli.CommandLine;

/** Reads the values of options and arguments; its errors name the expected form without Java's words. */
public final class Converters {
    private Converters() {}

    /** For all commands; must be called when they are there. */
    public static void register(CommandLine command) {
        command.registerConverter(int.class, text -> number(text, Integer::valueOf));
        command.registerConverter(Integer.class, text -> number(text, Integer::valueOf));
        command.registerConverter(long.class, text -> number(text, Long::valueOf));
        command.registerConverter(Long.class, text -> number(text, Long::valueOf));
        command.registerConverter(Instant.class, Converters::time);
        command.registerConverter(Duration.class, new OfDuration());
    }

    private interface Parser<N extends Number> {
        N parse(String text);
    }

    private static <N extends Number> N number(String text, Parser<N> parser) {
        try {
            return parser.parse(text);
        } catch (NumberFormatException e) {
            boolean isNumber = text.matches("[-+]?\\d+");
            throw new CommandLine.TypeConversionException(
                    "'" + text + "' is " + (isNumber ? "too large a number" : "not a whole number"));
        }
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new CommandLine.TypeConversionException(
                    "must be a time such as 2026-01-31T12:00:00Z, was '" + text + "'");
        }
    }

    /** A class, because options that are maps name it. */
    public static final class OfDuration implements CommandLine.ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                return DurationText.parse("duration", text);
            } catch (InvalidRequestException e) {
                throw new CommandLine.TypeConversionException(e.problem());
            }
        }
    }
}
