package dev.leat.server.internal.metrics;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.LeatException;
import dev.leat.json.TaskJson;
import dev.leat.queue.QueueStats;
import dev.leat.server.internal.events.EventFilter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of queues and of task changes through this server, for Prometheus. Some metrics also have the names that other queues use, so
 * that existing dashboards and autoscalers work; {@code docs/server.md} has the table.
 *
 * <p>Counting tasks costs the storage time, so the tasks are counted at most every five seconds, and less often when a count is slow.
 */
public final class Metrics {
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final Logger log = LoggerFactory.getLogger(Metrics.class);
    private static final Duration FRESH = Duration.ofSeconds(5);
    /** Counting takes at most this fraction of the time: one part of so many. */
    private static final int REST = 10;

    private final Leat leat;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MultiGauge tasks = gauge("leat.tasks", "Tasks by state; finished ones while they are kept.");
    private final MultiGauge exact = gauge("leat.tasks.exact", "0 where a count was cut off, and is at least that.");
    private final MultiGauge consumers = gauge("leat.waiting.consumers", "Takes that wait for tasks.");
    private final MultiGauge ages =
            gauge("leat.oldest.ready.age.seconds", "Since when the ready task that was put first could have run.");
    private final MultiGauge inProgress = gauge("queue.tasks.in.progress", "Tasks that are taken.");
    private final MultiGauge backlog = gauge("chunks.in.backlog.count", "Tasks that are not taken yet.");
    private final MultiGauge reserved = gauge("reserver.chunks.reserved.count", "Tasks that are taken.");
    private final MultiGauge put = gauge("chunks.total.count", "Tasks that were put through this server.");
    private final MultiGauge completed = gauge("chunks.completed.count", "Tasks acknowledged through this server.");
    private final MultiGauge reservations =
            gauge("reserver.reservations.succeeded.count", "Tasks that were taken through this server.");
    private final Set<String> counted = new HashSet<>();
    private boolean isUp = true;
    private long nextLook = System.nanoTime();

    public Metrics(Leat leat) {
        this.leat = leat;
        Gauge.builder("leat.storage.up", this, metrics -> metrics.isUp ? 1 : 0)
                .description("Whether the storage answered when the queues were last counted.")
                .register(registry);
    }

    private MultiGauge gauge(String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    /** Renders all metrics; on a thread that may block. */
    public synchronized String scrape() {
        if (System.nanoTime() - nextLook >= 0) {
            long began = System.nanoTime();
            look();
            long end = System.nanoTime();
            nextLook = end + Math.max(FRESH.toNanos(), (end - began) * REST);
        }
        return registry.scrape()
                + StorageMeter.of(leat.storage()).map(StorageMeter::scrape).orElse("");
    }

    /** A failing storage removes only the counts: the other metrics matter most at that time. */
    private void look() {
        List<QueueStats> queues = List.of();
        List<Row<?>> oldest = List.of();
        try {
            queues = leat.stats();
            oldest = ages(queues);
            isUp = true;
        } catch (LeatException e) {
            if (isUp) {
                log.warn("Could not count the queues for /metrics: {}", e.getMessage());
            }
            isUp = false;
        }
        ages.register(oldest, true);
        tasks.register(byState(queues), true);
        show(exact, queues, stats -> stats.exact() ? 1 : 0);
        show(consumers, queues, QueueStats::consumers);
        show(backlog, queues, Metrics::backlog);
        show(reserved, queues, stats -> stats.count(TaskState.TAKEN));
        show(put, queues, stats -> calls(stats.queue(), TaskEvent.Kind.PUT));
        show(completed, queues, stats -> calls(stats.queue(), TaskEvent.Kind.ACK));
        show(reservations, queues, stats -> calls(stats.queue(), TaskEvent.Kind.TAKE));
        inProgress.register(
                queues.stream()
                        .map(stats -> Row.of(numbered(stats), stats.count(TaskState.TAKEN)))
                        .toList(),
                true);
        queues.stream().filter(stats -> counted.add(stats.queue())).forEach(this::count);
    }

    private static void show(MultiGauge gauge, List<QueueStats> queues, ToDoubleFunction<QueueStats> value) {
        gauge.register(
                queues.stream()
                        .map(stats -> Row.of(Tags.of("queue", stats.queue()), value.applyAsDouble(stats)))
                        .toList(),
                true);
    }

    private static List<Row<?>> byState(List<QueueStats> queues) {
        List<Row<?>> rows = new ArrayList<>();
        for (QueueStats stats : queues) {
            stats.counts()
                    .forEach((state, count) ->
                            rows.add(Row.of(Tags.of("queue", stats.queue(), "state", TaskJson.name(state)), count)));
        }
        return rows;
    }

    private static double backlog(QueueStats stats) {
        return (double) stats.count(TaskState.WAITING)
                + stats.count(TaskState.SCHEDULED)
                + stats.count(TaskState.READY);
    }

    private List<Row<?>> ages(List<QueueStats> queues) {
        Instant now = leat.storage().now();
        List<Row<?>> rows = new ArrayList<>();
        for (QueueStats stats : queues) {
            double age = stats.count(TaskState.READY) == 0 ? 0 : age(stats.queue(), now);
            rows.add(Row.of(Tags.of("queue", stats.queue()), age));
        }
        return rows;
    }

    private double age(String queue, Instant now) {
        return leat.list(TaskQuery.of(queue).state(TaskState.READY).limit(1)).stream()
                .findFirst()
                .map(Task::due)
                .map(due -> Math.max(0, Duration.between(due, now).toMillis() / 1e3))
                .orElse(0.0);
    }

    // Counters read their values by themselves after their registration

    private void count(QueueStats stats) {
        for (TaskEvent.Kind kind : TaskEvent.Kind.values()) {
            if (kind != TaskEvent.Kind.UNCHANGED) {
                Tags tags = Tags.of("queue", stats.queue(), "kind", EventFilter.name(kind));
                count("leat.task.changes", "Changes that were made through this server.", tags, stats, kind);
            }
        }
        Tags numbered = numbered(stats);
        count("queue.tasks.processed", "Tasks that were acknowledged.", numbered, stats, TaskEvent.Kind.ACK);
        count("queue.tasks.errors", "Attempts that failed.", numbered, stats, TaskEvent.Kind.FAIL);
    }

    private void count(String name, String description, Tags tags, QueueStats stats, TaskEvent.Kind kind) {
        FunctionCounter.builder(name, leat, ignored -> calls(stats.queue(), kind))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private double calls(String queue, TaskEvent.Kind kind) {
        return leat.queue(queue).calls().count(kind);
    }

    /** Prometheus treats an empty label as a missing one. */
    private static Tags numbered(QueueStats stats) {
        String number =
                stats.number().isPresent() ? Integer.toString(stats.number().getAsInt()) : "";
        return Tags.of("queue", stats.queue(), "queue_num", number);
    }
}
