package dev.leat.cli.task;

import dev.leat.Payload;
import dev.leat.Task;
import dev.leat.json.TaskJson;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Tasks as rows of a table. */
public final class TaskRows {
    private static final int MOST_CHARACTERS = 60;
    static final List<String> HEADING = List.of("ID", "QUEUE", "STATE", "PRIO", "DUE", "TRIES", "MESSAGE", "PAYLOAD");

    private TaskRows() {}

    static List<String> row(Task task) {
        return List.of(
                String.valueOf(task.id()),
                task.queue(),
                TaskJson.name(task.state()),
                String.valueOf(task.priority()),
                time(task.due()),
                String.valueOf(task.attempts()),
                shortened(task.message().orElse("")),
                payload(task.payload()));
    }

    public static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** Its beginning, if people can read it; its size otherwise. */
    static String payload(Payload payload) {
        boolean isReadable = payload.contentType().startsWith("text/")
                || payload.contentType().contains("json");
        return isReadable ? shortened(payload.text()) : payload.size() == 0 ? "" : payload.size() + " bytes";
    }

    static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ").replaceAll("\\p{Cntrl}", "?").strip();
        return line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS - 1) + "…";
    }
}
