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
 * All who listen to the task changes that are made through this server. Changes are numbered in one order for all of them. No thread
 * waits for a listener: whoever changes a task leaves it with each {@link EventStream}, and event loops write.
 */
public final class EventStreams implements AutoCloseable {
    /** Each makes every change of a task a little slower. */
    public static final int MOST_LISTENERS = 256;

    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

    private final Vertx vertx;
    private final Registration registration;
    private final long keepAliveTimer;

    private final Set<EventStream> streams = new HashSet<>();
    private long lastNumber;
    private boolean isClosed;
    /** So that whoever changes a task while nobody listens need not wait for the lock. */
    private volatile boolean isEmpty = true;

    /** @param idleTimeout after how long a connection on which nothing happens is closed */
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

    /** Lets somebody listen until he hangs up, or answers false: there are too many. On the event loop of his connection. */
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

    /** Ends all streams; nobody may listen any more. */
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
