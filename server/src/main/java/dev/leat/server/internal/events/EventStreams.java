package dev.leat.server.internal.events;

import dev.leat.Leat;
import dev.leat.Registration;
import dev.leat.TaskEvent;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The listeners for task changes of this server. All listeners see the same numbers and the same order. No thread waits for a listener:
 * the thread that changes a task offers the change to each {@link EventStream}, and event loops write it.
 */
public final class EventStreams implements AutoCloseable {
    /** Bounds the cost of a task change, which grows with each listener. */
    public static final int MOST_LISTENERS = 256;

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

    private final Vertx vertx;
    private final Registration registration;
    private final long keepAliveTimer;

    private final Set<EventStream> streams = new HashSet<>();
    private long lastNumber;
    private boolean isClosed;
    /** Lets a task change skip the lock while there are no listeners. */
    private volatile boolean isEmpty = true;

    /** @param idleTimeout how long a connection can be idle before it is closed */
    public EventStreams(Vertx vertx, Leat leat, Duration idleTimeout) {
        this.vertx = vertx;
        long often = Math.min(KEEP_ALIVE.toMillis(), Math.max(1, idleTimeout.toMillis() / 3));
        this.keepAliveTimer = vertx.setPeriodic(often, unused -> current().forEach(EventStream::keepAlive));
        this.registration = leat.onTaskChange(this::changed);
    }

    private void changed(TaskEvent event) {
        if (isEmpty) {
            return;
        }
        synchronized (this) {
            lastNumber++;
            streams.forEach(stream -> stream.offer(lastNumber, event));
        }
    }

    /** Adds a listener until it disconnects, or returns false if there are too many. On the event loop of its connection. */
    public boolean open(Predicate<TaskEvent> filter, HttpServerResponse response) {
        EventStream stream = new EventStream(vertx.getOrCreateContext(), response, filter);
        synchronized (this) {
            if (isClosed || streams.size() == MOST_LISTENERS) {
                return false;
            }
            streams.add(stream);
            isEmpty = false;
        }
        response.closeHandler(unused -> forget(stream));
        if (response.closed()) {
            forget(stream);
            return true;
        }
        stream.open();
        return true;
    }

    private synchronized void forget(EventStream stream) {
        streams.remove(stream);
        isEmpty = streams.isEmpty();
    }

    private synchronized List<EventStream> current() {
        return List.copyOf(streams);
    }

    /** Ends all streams and refuses new listeners. */
    @Override
    public void close() {
        registration.close();
        vertx.cancelTimer(keepAliveTimer);
        synchronized (this) {
            isClosed = true;
        }
        current().forEach(EventStream::end);
    }
}
