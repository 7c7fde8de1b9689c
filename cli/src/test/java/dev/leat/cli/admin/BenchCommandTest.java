package dev.leat.cli.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.TaskState;
import dev.leat.cli.Cli;
import dev.leat.error.LeatException;
import dev.leat.queue.QueueStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code leat bench}, with few tasks: what it says, and that it leaves nothing behind. */
class BenchCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private final AtomicInteger puts = new AtomicInteger();

    private String storage() {
        return "sqlite:" + folder.resolve("jobs.db");
    }

    private Cli.Ran bench(String... args) {
        List<String> all = new ArrayList<>(List.of("bench", "--storage", storage()));
        all.addAll(List.of(args));
        return Cli.run(all.toArray(new String[0]));
    }

    private List<QueueStats> stats() {
        try (Leat leat = Leat.open(storage())) {
            return leat.stats();
        }
    }

    @Test
    void theFiguresAreThereAndTheQueueIsGone() throws IOException {
        Cli.Ran ran = bench("--tasks", "501", "--batch", "50", "--threads", "3", "--json");

        assertThat(ran.exit()).as(ran.err()).isZero();
        JsonNode figures = JSON.readTree(ran.out());
        assertThat(figures.get("storage").textValue()).isEqualTo("sqlite");
        assertThat(figures.get("tasks").intValue()).isEqualTo(501);
        assertThat(figures.get("putsPerSecond").doubleValue()).isPositive().isFinite();
        assertThat(figures.get("acksPerSecond").doubleValue()).isPositive().isFinite();
        assertThat(figures.get("seconds").doubleValue()).isPositive();
        double median = figures.get("pickUpMillis").get("p50").doubleValue();
        assertThat(median).isPositive();
        assertThat(figures.get("pickUpMillis").get("p99").doubleValue()).isGreaterThanOrEqualTo(median);
        assertThat(stats()).isEmpty();
    }

    @Test
    void peopleGetATable() {
        Cli.Ran ran = bench("--tasks", "10", "--batch", "1000", "--threads", "1", "--queue", "mine");

        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out().lines().map(line -> line.replaceAll(" +", " ")).toList())
                .hasSize(2)
                .first()
                .isEqualTo("TASKS PUTS/S TAKES+ACKS/S PICK-UP P50 PICK-UP P99 TOTAL");
        assertThat(ran.err()).isEmpty();
        assertThat(stats()).isEmpty();
    }

    @Test
    void aQueueOfSomebodyElseIsLeftAlone() {
        Cli.run("put", "mine", "x", "--storage", storage());

        Cli.Ran ran = bench("--tasks", "10", "--queue", "mine");

        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).startsWith("leat: ").contains("mine");
        assertThat(stats().get(0).count(TaskState.READY)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1000000, 100", "20, 25"})
    void theQueueIsGoneAfterAnErrorAmongManyOrSingleTasks(long tasks, int goodPuts) {
        Benchmark.Load load = new Benchmark.Load(tasks, 10, 2);
        try (Leat leat = Leat.builder(storage())
                .beforePut(task -> {
                    if (puts.incrementAndGet() > goodPuts) {
                        throw new LeatException("out of paper");
                    }
                    return task;
                })
                .open()) {
            assertThatThrownBy(() -> {
                        try (Benchmark benchmark = new Benchmark(leat, "b", load)) {
                            benchmark.run();
                        }
                    })
                    .hasMessage("out of paper");

            assertThat(leat.queues()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"--tasks,0", "--batch,0", "--batch,1001", "--threads,0", "--threads,257"})
    void whatMakesNoSenseIsRefused(String option, String value) {
        Cli.Ran ran = bench(option, value);

        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains(option + " must be at least 1");
    }

    @Test
    void theQueueIsGoneAfterCtrlC() throws Exception {
        List<String> command = new ArrayList<>(Cli.command());
        command.addAll(List.of("bench", "--tasks", "1000000000", "--batch", "10", "--storage", storage()));
        Process bench = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            await().atMost(30, TimeUnit.SECONDS)
                    .until(() -> stats().stream().anyMatch(stats -> stats.count(TaskState.READY) > 0));

            bench.toHandle().destroy(); // not Process.destroy, which closes the streams

            assertThat(bench.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(new String(bench.getInputStream().readAllBytes(), UTF_8)).isEmpty();
            assertThat(stats()).isEmpty();
        } finally {
            bench.destroyForcibly();
        }
    }
}
