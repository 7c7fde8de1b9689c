package dev.leat.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.worker.Handler;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Puts and runs, and the spans they leave behind. */
class TaskTracingTest {
    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk openTelemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    private final TaskTracing tracing = TaskTracing.with(openTelemetry);
    private final Leat leat =
            Leat.builder("memory:").beforePut(tracing::beforePut).open();

    @AfterEach
    void stop() {
        leat.close();
        openTelemetry.close();
    }

    private void work(Handler<String> handler) {
        leat.worker()
                .handle("q", String.class, handler)
                .middleware(tracing::around)
                .start();
    }

    private List<SpanData> runs() {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getKind() == SpanKind.CONSUMER)
                .toList();
    }

    private Span startProducer() {
        return openTelemetry.getTracer("test").spanBuilder("checkout").startSpan();
    }

    @Test
    void aRunIsASpanLinkedToThePut() { // R30
        Span producer = startProducer();
        long id;
        try (Scope scope = producer.makeCurrent()) {
            id = leat.put("q", "x");
        } finally {
            producer.end();
        }
        AtomicReference<SpanContext> inHandler = new AtomicReference<>();

        work((text, task) -> inHandler.set(Span.current().getSpanContext()));

        await().until(() -> runs().size() == 1);
        SpanData run = runs().get(0);
        assertThat(run.getName()).isEqualTo("process q");
        assertThat(run.getLinks())
                .extracting(link -> link.getSpanContext().getTraceId()
                        + link.getSpanContext().getSpanId())
                .containsExactly(producer.getSpanContext().getTraceId()
                        + producer.getSpanContext().getSpanId());
        assertThat(run.getTraceId())
                .isNotEqualTo(producer.getSpanContext().getTraceId())
                .isEqualTo(inHandler.get().getTraceId());
        assertThat(run.getSpanId()).isEqualTo(inHandler.get().getSpanId());
        assertThat(run.getAttributes().asMap())
                .containsEntry(AttributeKey.stringKey("messaging.system"), "leat")
                .containsEntry(AttributeKey.stringKey("messaging.destination.name"), "q")
                .containsEntry(AttributeKey.stringKey("messaging.message.id"), Long.toString(id))
                .containsEntry(AttributeKey.longKey("leat.attempt"), 1L);
        assertThat(run.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void theContextIsStoredAsW3cWritesIt() {
        SpanContext context = SpanContext.createFromRemoteParent(
                "0af7651916cd43dd8448eb211c80319c",
                "b7ad6b7169203331",
                TraceFlags.getSampled(),
                TraceState.builder().put("vendor", "value").build());

        Task task;
        try (Scope scope = Span.wrap(context).makeCurrent()) {
            task = leat.peek(leat.put("q", "x", more -> more.trace("mine", "stays")))
                    .orElseThrow();
        }

        assertThat(task.trace())
                .isEqualTo(Map.of(
                        "traceparent",
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "tracestate",
                        "vendor=value",
                        "mine",
                        "stays"));
    }

    @Test
    void everyAttemptIsASpanAndOneThatThrowsIsAnError() {
        leat.queue("q")
                .create(QueueOptions.builder()
                        .retry(RetryPolicy.standard().backoff(Backoff.fixed(Duration.ZERO)))
                        .build());
        Span producer = startProducer();
        try (Scope scope = producer.makeCurrent()) {
            leat.put("q", "x");
        }

        work((text, task) -> {
            if (task.task().attempts() == 1) {
                throw new IllegalStateException("not yet");
            }
        });

        await().until(() -> runs().size() == 2);
        assertThat(runs())
                .extracting(run -> run.getStatus().getStatusCode())
                .containsExactly(StatusCode.ERROR, StatusCode.UNSET);
        assertThat(runs().get(0).getStatus().getDescription()).isEqualTo("not yet");
        assertThat(runs().get(0).getEvents()).hasSize(1);
        assertThat(runs())
                .flatExtracting(SpanData::getLinks)
                .extracting(LinkData::getSpanContext)
                .extracting(SpanContext::getSpanId)
                .containsExactly(
                        producer.getSpanContext().getSpanId(),
                        producer.getSpanContext().getSpanId());
        assertThat(runs()).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
    }

    @Test
    void aPutOutsideOfASpanCarriesNothingAndItsRunHasNoLink() {
        long id = leat.put("q", "x");

        assertThat(leat.peek(id).orElseThrow().trace()).isEmpty();
        work((text, task) -> {});
        await().until(() -> runs().size() == 1);
        assertThat(runs().get(0).getLinks()).isEmpty();
    }

    @Test
    void aContextThatATaskCarriesAlreadyStays() {
        String given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        Span producer = startProducer();
        try (Scope scope = producer.makeCurrent()) {
            long id = leat.put("q", "x", task -> task.trace("traceparent", given));

            assertThat(leat.peek(id).orElseThrow().trace()).isEqualTo(Map.of("traceparent", given));
        }
    }

    /** What somebody else wrote there must not keep the task from running. */
    @Test
    void aContextThatIsNoneIsLeftAlone() {
        leat.put("q", "x", task -> task.trace("traceparent", "00-zz"));

        work((text, task) -> {});

        await().until(() -> runs().size() == 1);
        assertThat(runs().get(0).getLinks()).isEmpty();
    }

    @Test
    void aTaskThatCarriesAllItMayIsPutStill() {
        Span producer = startProducer();
        try (Scope scope = producer.makeCurrent()) {
            long id = leat.put("q", "x", task -> {
                for (int i = 0; i < 64; i++) {
                    task.trace("entry" + i, "x");
                }
            });

            assertThat(leat.peek(id).orElseThrow().trace()).hasSize(64);
        }
    }
}
