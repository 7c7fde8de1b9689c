package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakenTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.testkit.ManualClock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code /metrics}, as Prometheus reads it. */
class MetricsTest {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) [a-z_]+ .*");
    private static final Pattern SAMPLE =
            Pattern.compile("[a-z_]+(\\{[a-z_]+=\"[^\"\\n]*\"(,[a-z_]+=\"[^\"\\n]*\")*})? [0-9.E+-]+");

    @TempDir
    Path folder;

    private final ManualClock clock = new ManualClock(Instant.now());
    private final HttpClient http = HttpClient.newHttpClient();
    private Leat leat;
    private LeatServer server;

    @BeforeEach
    void start() {
        Storage storage = Storages.open("sqlite:" + folder.resolve("jobs.db"), StorageSettings.at(clock));
        leat = Leat.builder("sqlite:").storage(LeatServer.measured(storage)).open();
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
    }

    @AfterEach
    void stop() {
        server.close();
        leat.close();
    }

    /** Values by names with labels. */
    private Map<String, Double> scrape() throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
                        .timeout(Duration.ofSeconds(20))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain; version=0.0.4; charset=utf-8");
        Map<String, Double> values = new HashMap<>();
        answer.body().lines().forEach(line -> {
            if (line.startsWith("#")) {
                assertThat(line).matches(COMMENT);
            } else {
                assertThat(line).matches(SAMPLE);
                int space = line.lastIndexOf(' ');
                assertThat(values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1))))
                        .as("twice: %s", line)
                        .isNull();
            }
        });
        return values;
    }

    @Test
    void tasksAreCountedByStateAndByWhatWasDone() throws Exception {
        leat.queue("q").create(QueueOptions.builder().number(7).build());
        leat.put("q", "first");
        leat.put("q", "second");
        leat.put("q", "later", task -> task.delay(Duration.ofHours(1)));
        leat.ack(leat.take("q").orElseThrow());
        leat.fail(leat.take("q").orElseThrow(), "no");
        leat.put("q", "ready");
        leat.put("q", "ready");
        leat.put("q", "ready");
        assertThat(leat.take("q")).isPresent();

        Map<String, Double> values = scrape();

        assertThat(values)
                .containsEntry("leat_tasks{queue=\"q\",state=\"ready\"}", 2.0)
                .containsEntry("leat_tasks{queue=\"q\",state=\"scheduled\"}", 2.0)
                .containsEntry("leat_tasks{queue=\"q\",state=\"taken\"}", 1.0)
                .containsEntry("leat_tasks{queue=\"q\",state=\"done\"}", 1.0)
                .containsEntry("leat_tasks{queue=\"q\",state=\"buried\"}", 0.0)
                .containsEntry("leat_tasks_exact{queue=\"q\"}", 1.0)
                .containsEntry("leat_waiting_consumers{queue=\"q\"}", 0.0)
                .containsEntry("leat_storage_up", 1.0)
                .containsEntry("leat_task_changes_total{kind=\"put\",queue=\"q\"}", 6.0)
                .containsEntry("leat_task_changes_total{kind=\"take\",queue=\"q\"}", 3.0)
                .containsEntry("leat_task_changes_total{kind=\"fail\",queue=\"q\"}", 1.0)
                .containsEntry("queue_tasks_in_progress{queue=\"q\",queue_num=\"7\"}", 1.0)
                .containsEntry("queue_tasks_processed_total{queue=\"q\",queue_num=\"7\"}", 1.0)
                .containsEntry("queue_tasks_errors_total{queue=\"q\",queue_num=\"7\"}", 1.0)
                .containsEntry("chunks_in_backlog_count{queue=\"q\"}", 4.0)
                .containsEntry("chunks_total_count{queue=\"q\"}", 6.0)
                .containsEntry("chunks_completed_count{queue=\"q\"}", 1.0)
                .containsEntry("reserver_chunks_reserved_count{queue=\"q\"}", 1.0)
                .containsEntry("reserver_reservations_succeeded_count{queue=\"q\"}", 3.0);
    }

    @Test
    void theAgeOfTheOldestReadyTaskIsTold() throws Exception {
        leat.put("q", "x", task -> task.delay(Duration.ofSeconds(10)));
        leat.queue("empty").ensure();
        clock.advance(Duration.ofSeconds(100));
        await().until(() -> leat.queue("q").stats().count(TaskState.READY) == 1);
        leat.put("q", "y");

        Map<String, Double> values = scrape();

        assertThat(values)
                .containsEntry("leat_oldest_ready_age_seconds{queue=\"q\"}", 90.0)
                .containsEntry("leat_oldest_ready_age_seconds{queue=\"empty\"}", 0.0);
    }

    @Test
    void storageCallsAreTimed() throws Exception {
        leat.queue("q").ensure();
        leat.put("q", "x");
        leat.put("q", "y");

        Map<String, Double> values = scrape();

        assertThat(values)
                .containsEntry("leat_storage_call_seconds_count{method=\"put\"}", 2.0)
                .containsEntry("leat_storage_call_seconds_bucket{method=\"put\",le=\"+Inf\"}", 2.0)
                .containsKey("leat_storage_call_seconds_bucket{method=\"put\",le=\"0.005\"}")
                .doesNotContainKey("leat_storage_call_seconds_count{method=\"signal\"}");
        assertThat(values.get("leat_storage_call_seconds_sum{method=\"put\"}")).isPositive();
    }

    @Test
    void onlyFirstStartsAreTimed() throws Exception {
        leat.put("q", "x");
        clock.advance(Duration.ofSeconds(4));
        scrape(); // looks at the clock
        leat.release(leat.take("q").orElseThrow(), Duration.ZERO);
        leat.ack(leat.take("q").orElseThrow());

        Map<String, Double> values = scrape();

        assertThat(values)
                .containsEntry("leat_enqueue_to_start_seconds_count{queue=\"q\"}", 1.0)
                .containsEntry("leat_enqueue_to_start_seconds_bucket{queue=\"q\",le=\"2.5\"}", 0.0)
                .containsEntry("leat_enqueue_to_start_seconds_bucket{queue=\"q\",le=\"+Inf\"}", 1.0);
        assertThat(values.get("leat_enqueue_to_start_seconds_sum{queue=\"q\"}")).isBetween(3.9, 60.0);
    }

    @Test
    void settlesThatCameTooLateAreCounted() throws Exception {
        leat.put("q", "x");
        TakenTask task = leat.take("q").orElseThrow();
        leat.queue("q").releaseAll();

        SettleResult result = leat.settle(Settle.ack(task.lease()));

        assertThat(result.status()).isEqualTo(SettleResult.Status.GONE);
        assertThat(scrape()).containsEntry("leat_fenced_settles_total", 1.0);
    }

    /** A scrape now and another soon after cost one look at the queues. */
    @Test
    void theQueuesAreCountedEveryFewSecondsOnly() throws Exception {
        String ready = "leat_tasks{queue=\"q\",state=\"ready\"}";
        String looks = "leat_storage_call_seconds_count{method=\"queues.stats\"}";
        leat.put("q", "x");
        Map<String, Double> first = scrape();
        leat.put("q", "y");
        Map<String, Double> second = scrape();

        assertThat(second).containsEntry(ready, 1.0).containsEntry(looks, first.get(looks));
        assertThat(second).containsEntry("leat_task_changes_total{kind=\"put\",queue=\"q\"}", 2.0);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(scrape()).containsEntry(ready, 2.0));
    }

    @Test
    void aStorageThatIsAwayLeavesTheRest() throws Exception {
        leat.queue("q").ensure();
        leat.put("q", "x");
        leat.close();

        assertThat(scrape())
                .containsEntry("leat_storage_up", 0.0)
                .containsEntry("leat_storage_call_seconds_count{method=\"put\"}", 1.0)
                .doesNotContainKey("leat_tasks{queue=\"q\",state=\"ready\"}");
    }

    @Test
    void aStorageThatIsNotMeasuredIsCountedStill() throws Exception {
        server.close();
        leat.close();
        leat = Leat.open("memory:");
        server = LeatServer.start(leat, ServerOptions.builder().port(0).build());
        leat.put("q", "x");

        assertThat(scrape())
                .containsEntry("leat_tasks{queue=\"q\",state=\"ready\"}", 1.0)
                .doesNotContainKey("leat_fenced_settles_total");
    }
}
