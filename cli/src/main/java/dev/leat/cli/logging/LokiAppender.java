package dev.leat.cli.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ships the log to Loki. A logging thread leaves its line in a bounded queue and never waits; one thread takes lines from there and
 * pushes them in batches. While Loki cannot be reached it repeats the push; lines that do not fit into the queue are dropped and
 * counted, and the count is pushed when Loki answers again. {@link #stop} pushes the rest once, and takes a few seconds at most.
 */
final class LokiAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
    static final int MOST_WAITING = 2_000;

    private static final Logger log = LoggerFactory.getLogger(LokiAppender.class);
    private static final int MOST_AT_ONCE = 1_000;
    private static final int LONGEST_TEXT = 8 * 1024;
    private static final Duration GATHER = Duration.ofSeconds(1);
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);
    private static final Duration STOP = Duration.ofSeconds(5);

    private final LokiPush loki;
    private final JsonLayout layout = new JsonLayout(LONGEST_TEXT);
    private final BlockingQueue<LokiPush.Line> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicLong dropped = new AtomicLong();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread shipper = new Thread(this::ship, "leat-loki");
    /** Of the shipper alone. */
    private boolean isAway;

    LokiAppender(LokiPush loki) {
        this.loki = loki;
        shipper.setDaemon(true);
    }

    @Override
    public void start() {
        super.start();
        shipper.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        String line = layout.doLayout(event).stripTrailing();
        Instant time = Instant.ofEpochMilli(event.getTimeStamp());
        if (!waiting.offer(new LokiPush.Line(time, JsonLayout.level(event), line))) {
            dropped.incrementAndGet();
        }
    }

    @Override
    public void stop() {
        if (!isStarted()) {
            return;
        }
        super.stop();
        stopping.countDown();
        try {
            shipper.join(STOP.toMillis());
            if (shipper.isAlive()) {
                shipper.interrupt();
                shipper.join(STOP.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long lost = dropped.get() + waiting.size();
        if (lost > 0) {
            log.warn("{} lines of the log did not reach Loki at {}", lost, loki.target());
        }
    }

    // The shipper

    private void ship() {
        try {
            while (!isStopping() || !waiting.isEmpty()) {
                List<LokiPush.Line> lines = gather();
                if (!lines.isEmpty()) {
                    push(lines);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    /** Waits for a line, and then a little for more. */
    private List<LokiPush.Line> gather() throws InterruptedException {
        List<LokiPush.Line> lines = new ArrayList<>();
        long began = System.nanoTime();
        while (!isStopping() && lines.size() < MOST_AT_ONCE && System.nanoTime() - began < GATHER.toNanos()) {
            LokiPush.Line line = waiting.poll(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS);
            if (line != null) {
                lines.add(line);
            }
        }
        waiting.drainTo(lines, MOST_AT_ONCE - lines.size());
        return lines;
    }

    private void push(List<LokiPush.Line> lines) throws InterruptedException {
        long lost = dropped.get();
        List<LokiPush.Line> all = new ArrayList<>(lines);
        if (lost > 0) {
            all.add(new LokiPush.Line(Instant.now(), "warn", "{\"dropped\":" + lost + "}"));
        }
        boolean isPushed = false;
        try {
            isPushed = isPushedInTheEnd(all);
        } finally {
            dropped.addAndGet(isPushed ? -lost : lines.size());
        }
    }

    /** Tries again for as long as that makes sense. */
    private boolean isPushedInTheEnd(List<LokiPush.Line> lines) throws InterruptedException {
        Duration pause = FIRST_PAUSE;
        while (true) {
            Optional<LokiPush.Trouble> trouble = loki.push(lines);
            tellOnce(trouble);
            if (trouble.isEmpty()) {
                return true;
            }
            if (!trouble.get().mayPass() || stopping.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
            Duration longer = pause.multipliedBy(2);
            pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
        }
    }

    /** Reports each loss of Loki, and each return, once. */
    private void tellOnce(Optional<LokiPush.Trouble> trouble) {
        if (trouble.isPresent() != isAway) {
            isAway = trouble.isPresent();
            log.warn(
                    "Loki at {} {}",
                    loki.target(),
                    trouble.map(LokiPush.Trouble::message).orElse("takes the log again"));
        }
    }
}
