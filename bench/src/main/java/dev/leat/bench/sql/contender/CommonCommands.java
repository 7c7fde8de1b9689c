package dev.leat.bench.sql.contender;

import dev.leat.bench.sql.contender.Command.Words;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** The commands that every contender understands. Used by one thread. */
final class CommonCommands {
    private final Contender contender;
    private final Load load;
    private Handled handled = new Handled(0);

    CommonCommands(Contender contender) {
        this.contender = contender;
        this.load = new Load(contender);
    }

    Map<String, Command> all() {
        return Map.ofEntries(
                Map.entry("open", words -> {
                    contender.open(words.text(0));
                    return "";
                }),
                Map.entry("close", words -> {
                    contender.close();
                    return "";
                }),
                Map.entry("put", this::put),
                Map.entry("put-for", this::putFor),
                Map.entry("one", words -> {
                    contender.put(Payloads.now());
                    return String.valueOf(System.nanoTime());
                }),
                Map.entry("work", this::work),
                Map.entry("stop", words -> {
                    contender.stop();
                    return "";
                }),
                Map.entry("handled", words -> String.valueOf(handled.count())),
                Map.entry("settled", this::settled),
                Map.entry("sustain", this::sustain),
                Map.entry("sustain-through-faults", this::sustainThroughFaults),
                Map.entry("pace", this::pace),
                Map.entry("waited", words -> waited()),
                Map.entry("starts", words -> Arrays.stream(handled.starts())
                        .mapToObj(String::valueOf)
                        .collect(Collectors.joining(" "))));
    }

    /** {@code put <tasks> <threads> <batch>}: the nanoseconds it took. */
    private String put(Words words) throws Exception {
        return String.valueOf(load.put(words.number(0), words.number(1), words.number(2)));
    }

    /** {@code put-for <millis> <threads> <batch>}: the tasks per second. */
    private String putFor(Words words) throws Exception {
        Duration time = Duration.ofMillis(words.number(0));
        return String.valueOf((long) load.putFor(time, words.number(1), words.number(2)));
    }

    /** {@code work <mode> <tasks to time>}: when it was started. */
    private String work(Words words) throws Exception {
        handled = new Handled(words.number(1));
        long start = System.nanoTime();
        contender.work(handled, Contender.Mode.valueOf(words.text(0)));
        return String.valueOf(start);
    }

    /** {@code settled <tasks> <seconds>}: when that many were worked off since {@code work}. */
    private String settled(Words words) throws Exception {
        load.awaitSettled(handled, words.number(0), Duration.ofSeconds(words.number(1)));
        return String.valueOf(System.nanoTime());
    }

    /** {@code sustain <millis> <window> <batch>}: tasks, start and end, then samples of the count. */
    private String sustain(Words words) throws Exception {
        long before = handled.count();
        try (Samples samples = new Samples(handled)) {
            long start = System.nanoTime();
            long put = load.sustain(handled, Duration.ofMillis(words.number(0)), words.number(1), words.number(2));
            load.awaitSettled(handled, before + put, Duration.ofMinutes(5));
            return put + " " + start + " " + System.nanoTime() + " " + samples.asWords();
        }
    }

    /** {@code sustain-through-faults …}: the same where puts may fail; does not wait for the last tasks. */
    private String sustainThroughFaults(Words words) throws Exception {
        try (Samples samples = new Samples(handled)) {
            long start = System.nanoTime();
            Duration time = Duration.ofMillis(words.number(0));
            long put = load.sustainThroughFaults(handled, time, words.number(1), words.number(2));
            return put + " " + start + " " + System.nanoTime() + " " + samples.asWords();
        }
    }

    /** {@code pace <millis> <beat millis> <batch>}: how many were put and worked off. */
    private String pace(Words words) throws Exception {
        long before = handled.count();
        long put = load.pace(Duration.ofMillis(words.number(0)), Duration.ofMillis(words.number(1)), words.number(2));
        load.awaitSettled(handled, before + put, Duration.ofMinutes(5));
        return String.valueOf(put);
    }

    /** {@code waited}: the nanoseconds from put to start, as p50, p95, p99 and the longest. */
    private String waited() {
        long[] waited = handled.waited();
        return Percentiles.of(waited, 50)
                + " "
                + Percentiles.of(waited, 95)
                + " "
                + Percentiles.of(waited, 99)
                + " "
                + Percentiles.of(waited, 100);
    }
}
