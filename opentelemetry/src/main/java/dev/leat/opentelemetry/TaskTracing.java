package dev.leat.opentelemetry;

import dev.leat.NewTask;
import dev.leat.Task;
import dev.leat.worker.Middleware;
import dev.leat.worker.RunningTask;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows tasks with OpenTelemetry: a put stores the context that is current with the task, as W3C {@code traceparent} and
 * {@code tracestate}, and every run is a span of its own that is linked to it. A link and not a parent, because a task may run days
 * later, and more than once.
 *
 * <pre>{@code
 * TaskTracing tracing = TaskTracing.with(openTelemetry);
 * Leat leat = Leat.builder(url).beforePut(tracing::beforePut).open();
 * leat.worker().handle(…).middleware(tracing::around).start();
 * }</pre>
 *
 * <p>Safe from any thread.
 */
public final class TaskTracing {
    private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();
    private static final String TRACE_PARENT = "traceparent";
    /** A task may carry this many entries, and a put must not fail because of its trace. */
    private static final int MOST_ENTRIES = 64;

    private final Tracer tracer;

    private TaskTracing(Tracer tracer) {
        this.tracer = tracer;
    }

    public static TaskTracing with(OpenTelemetry openTelemetry) {
        return new TaskTracing(openTelemetry.getTracer("dev.leat"));
    }

    /** For {@link dev.leat.Leat.Builder#beforePut}. A task that carries a context already keeps it. */
    public NewTask beforePut(NewTask task) {
        Map<String, String> entries = new HashMap<>();
        W3C.inject(Context.current(), entries, (carrier, name, value) -> entries.put(name, value));
        boolean fits = task.trace().size() + entries.size() <= MOST_ENTRIES;
        if (entries.isEmpty() || !fits || task.trace().containsKey(TRACE_PARENT)) {
            return task;
        }
        NewTask.Builder traced = task.toBuilder();
        entries.forEach(traced::trace);
        return traced.build();
    }

    /** A {@link Middleware}: the run is a span, which is current while the handler runs. */
    public void around(RunningTask running, Middleware.Next next) throws Exception {
        Span span = start(running.task());
        try (Scope scope = span.makeCurrent()) {
            next.run();
        } catch (Throwable e) {
            span.recordException(e);
            span.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            span.end();
        }
    }

    private Span start(Task task) {
        SpanBuilder span = tracer.spanBuilder("process " + task.queue())
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute("messaging.system", "leat")
                .setAttribute("messaging.operation.name", "process")
                .setAttribute("messaging.operation.type", "process")
                .setAttribute("messaging.destination.name", task.queue())
                .setAttribute("messaging.message.id", Long.toString(task.id()))
                .setAttribute("leat.attempt", task.attempts());
        SpanContext put = Span.fromContext(W3C.extract(Context.root(), task.trace(), Entries.INSTANCE))
                .getSpanContext();
        if (put.isValid()) {
            span.addLink(put);
        }
        return span.startSpan();
    }

    /** Reads the trace context of a task for the propagator. */
    private enum Entries implements TextMapGetter<Map<String, String>> {
        INSTANCE;

        @Override
        public Iterable<String> keys(Map<String, String> trace) {
            return trace.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> trace, String name) {
            return trace == null ? null : trace.get(name);
        }
    }
}
