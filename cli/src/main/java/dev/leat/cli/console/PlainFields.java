package dev.leat.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.json.DurationText;
import java.util.Set;
import java.util.stream.Collectors;

/** The fields of a task or queue as people read them: JSON has durations in seconds, people get {@code 1h30m}. */
public final class PlainFields {
    private static final Set<String> DURATIONS =
            Set.of("ttl", "ttr", "delay", "step", "first", "most", "done", "failed", "expired", "canceled");

    /** Those that Leat writes; a payload is shown as the JSON that it is. */
    private static final Set<String> OBJECTS = Set.of("keep", "backoff");

    private static final String KIND = "kind";

    private PlainFields() {}

    /** Prints a line for each field. */
    public static void print(Output out, String format, ObjectNode json) {
        json.properties()
                .forEach(field ->
                        out.line(String.format(format, field.getKey(), text(field.getKey(), field.getValue()))));
    }

    private static String text(String name, JsonNode value) {
        if (value.isNumber() && DURATIONS.contains(name)) {
            return DurationText.format(
                    DurationText.parse(name, value.decimalValue().toPlainString()));
        }
        if (value.isObject() && OBJECTS.contains(name)) {
            return value.properties().stream()
                    .map(field -> (field.getKey().equals(KIND) ? "" : field.getKey() + " ")
                            + text(field.getKey(), field.getValue()))
                    .collect(Collectors.joining(", "));
        }
        return value.isTextual() ? value.textValue() : value.toString();
    }
}
