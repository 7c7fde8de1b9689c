package dev.leat.bench.sql.contender;

import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskEvent;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.worker.Handler;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leat as an application uses it: one Leat, one worker, the public API. */
final class LeatContender implements Contender {
    static final String QUEUE = "bench";
    private static final int PROCESSORS = 16;

    private final QueueOptions options;
    private @Nullable Leat leat;
    private @Nullable Worker worker;
    private long acknowledgedBefore;

    private LeatContender(Retention retention) {
        this.options = QueueOptions.builder()
                .retention(retention)
                .retry(RetryPolicy.standard().backoff(Backoff.none()))
                .build();
    }

    /** Finished tasks are forgotten at once, as db-scheduler and graphile-worker do. */
    static LeatContender forgetting() {
        return new LeatContender(Retention.none());
    }

    /** Finished tasks are kept, as a queue does by default: without their payload. */
    static LeatContender keeping() {
        return new LeatContender(Retention.standard());
    }

    /** Finished tasks are kept whole, as JobRunr does. */
    static LeatContender keepingPayloads() {
        return new LeatContender(Retention.standard().donePayload(Retention.DonePayload.KEEP));
    }

    @Override
    public void open(String url) {
        open(Leat.builder(url));
    }

    void open(Leat.Builder builder) {
        leat = builder.open();
        leat.queue(QUEUE).declare(options);
    }

    Leat leat() {
        if (leat == null) {
            throw new IllegalStateException("open it first");
        }
        return leat;
    }

    @Override
    public void put(String payload) {
        leat().put(NewTask.to(QUEUE).payload(payload).build());
    }

    @Override
    public void putAll(List<String> payloads) {
        leat().putAll(payloads.stream()
                .map(payload -> NewTask.to(QUEUE).payload(payload).build())
                .toList());
    }

    @Override
    public void work(Handled handled, Mode mode) {
        Handler<String> handler = (payload, task) -> handled.task(payload);
        Handler<String> failing = (payload, task) -> {
            if (task.task().attempts() == 1) {
                throw new IllegalStateException("the first try fails");
            }
            handled.task(payload);
        };
        acknowledgedBefore = acknowledged();
        worker = leat().worker()
                .handle(QUEUE, String.class, mode == Mode.RETRY ? failing : handler)
                .concurrency(PROCESSORS)
                .start();
    }

    /** Acknowledgements are counted after their commit. */
    @Override
    public boolean isSettled(long tasks) {
        return acknowledged() - acknowledgedBefore >= tasks;
    }

    private long acknowledged() {
        return leat().queue(QUEUE).calls().count(TaskEvent.Kind.ACK);
    }

    @Override
    public void stop() {
        if (worker != null) {
            worker.stop(Duration.ofSeconds(10));
            worker = null;
        }
    }

    @Override
    public void close() {
        stop();
        if (leat != null) {
            leat.close();
            leat = null;
        }
    }
}
