package dev.leat.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Figures for people, and for machines. */
record Report(Machine machine, int rounds, List<Figure> figures) {

    void print(PrintStream out) {
        out.printf(Locale.ROOT, "%-58s %12s %9s %9s %15s%n", "", "tasks/s", "seconds", "baseline", "bar");
        for (Figure figure : figures) {
            out.printf(
                    Locale.ROOT,
                    "%-58s %,12.0f %9.2f %7.2f × %15s %s%n",
                    figure.of().name(),
                    figure.tasksPerSecond(),
                    figure.seconds(),
                    figure.ratio(),
                    figure.of().bar().map(Bar::text).orElse(""),
                    figure.verdict());
        }
    }

    void save(Path file) throws IOException {
        String cases = figures.stream().map(Report::json).collect(Collectors.joining(",\n"));
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                String.format(Locale.ROOT, """
                        {
                          "date": "%s",
                          "machine": "%s",
                          "rounds": %d,
                          "figures": [
                        %s
                          ]
                        }
                        """, Instant.now().truncatedTo(ChronoUnit.SECONDS), machine, rounds, cases));
    }

    private static String json(Figure figure) {
        return String.format(
                Locale.ROOT,
                "    {\"case\": \"%s\", \"tasks\": %d, \"tasksPerSecond\": %.0f, \"seconds\": %.3f, \"baseline\": \"%s\","
                        + " \"ratio\": %.3f, \"bar\": \"%s\", \"verdict\": \"%s\"}",
                figure.of().name(),
                figure.of().tasks(),
                figure.tasksPerSecond(),
                figure.seconds(),
                figure.of().baseline().name(),
                figure.ratio(),
                figure.of().bar().map(Bar::text).orElse(""),
                figure.verdict());
    }
}
