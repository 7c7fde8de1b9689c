package dev.leat.bench.sql;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.leat.bench.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** The figures of a run for people, and for machines. */
record Report(
        Machine machine,
        String server,
        String scale,
        int rounds,
        Map<Workload, Results> results,
        Optional<Peer> otherLeat) {
    private static final Path FOLDER = Path.of("bench", "results");

    void print(PrintStream out) {
        out.println(machine);
        out.println(server);
        out.println(rounds == 1 ? "one round" : "medians of " + rounds + " rounds");
        results.forEach((workload, figures) -> print(out, workload, figures));
    }

    private void print(PrintStream out, Workload workload, Results results) {
        out.printf(Locale.ROOT, "%n%s  %s%n", workload.name(), workload.title());
        results.values().forEach((measure, peers) -> peers.keySet()
                .forEach(peer -> out.printf(
                        Locale.ROOT,
                        "  %-46s %-24s %s%n",
                        measure.name(),
                        peer.title(),
                        write(measure.unit(), results.median(measure, peer)))));
        results.failures()
                .forEach((peer, reason) ->
                        out.printf(Locale.ROOT, "  %-46s %-24s %s%n", "NOT RUN", peer.title(), firstLine(reason)));
        for (Bar bar : workload.bars()) {
            out.printf(
                    Locale.ROOT,
                    "  %-8s %-62s %14s   bar %s%n",
                    bar.verdict(results).name().replace('_', ' '),
                    bar.what(),
                    write(bar.unit(), bar.figure().apply(results)),
                    bar.text());
        }
        for (Comparison comparison : comparisons(results)) {
            out.printf(
                    Locale.ROOT,
                    "  %-8s %-62s %14s   %s%n",
                    "AGAINST",
                    comparison.what(),
                    comparison.valueText(),
                    comparison.spreadText());
        }
    }

    private List<Comparison> comparisons(Results results) {
        return otherLeat.map(other -> Comparison.of(results, other)).orElse(List.of());
    }

    private static String write(Measure.Unit unit, OptionalDouble value) {
        return value.isPresent() ? unit.write(value.getAsDouble()) : "–";
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    boolean allBarsMet() {
        return results.entrySet().stream().allMatch(entry -> entry.getKey().bars().stream()
                .allMatch(bar -> bar.verdict(entry.getValue()) == Bar.Verdict.PASS));
    }

    boolean otherLeatRanEverything() {
        return otherLeat.stream()
                .noneMatch(other -> results.values().stream().anyMatch(figures -> figures.hasFailed(other)));
    }

    /** Writes a file of its own for this run, and answers which. */
    Path save() throws IOException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        Path file = FOLDER.resolve("sql-" + now.toString().replace(":", "") + ".json");
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("date", now.toString());
        run.put("machine", machine.toString());
        run.put("server", server);
        run.put("scale", scale);
        run.put("rounds", rounds);
        otherLeat.flatMap(Peer::otherCommit).ifPresent(commit -> run.put("against", commit.sha()));
        run.put(
                "workloads",
                results.entrySet().stream()
                        .map(entry -> json(entry.getKey(), entry.getValue()))
                        .toList());
        Files.createDirectories(FOLDER);
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), run);
        return file;
    }

    private Map<String, Object> json(Workload workload, Results results) {
        List<Object> figures = new ArrayList<>();
        results.values()
                .forEach((measure, peers) -> peers.forEach((peer, rounds) -> figures.add(Map.of(
                        "measure", measure.name(),
                        "unit", measure.unit().sign(),
                        "contender", peer.title(),
                        "median", results.median(measure, peer).orElseThrow(),
                        "rounds", rounds))));
        List<Object> bars = new ArrayList<>();
        for (Bar bar : workload.bars()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("figure", bar.what());
            bar.figure().apply(results).ifPresent(value -> entry.put("value", value));
            entry.put("bar", bar.text());
            entry.put("verdict", bar.verdict(results).name());
            bars.add(entry);
        }
        List<Object> comparisons = new ArrayList<>();
        for (Comparison comparison : comparisons(results)) {
            comparisons.add(Map.of(
                    "figure", comparison.what(),
                    "value", comparison.value(),
                    "least", comparison.least(),
                    "most", comparison.most()));
        }
        Map<String, Object> failures = new LinkedHashMap<>();
        results.failures().forEach((peer, reason) -> failures.put(peer.title(), reason));
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("workload", workload.name());
        entry.put("title", workload.title());
        entry.put("figures", figures);
        entry.put("bars", bars);
        if (otherLeat.isPresent()) {
            entry.put("against", comparisons);
        }
        entry.put("notRun", failures);
        return entry;
    }
}
