package dev.leat.server.internal.events;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.TaskEvent;
import dev.leat.json.TaskJson;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;

/**
 * One listener for task changes, as server-sent events. Threads that change tasks offer the changes. The event loop of the listener's
 * connection writes them as fast as the listener reads. Unread changes wait here up to a limit; further changes are counted, and the
 * count is sent in their place.
 */
final class EventStream {
    private static final int MOST_PENDING = 1_000;
    private static final int MOST_AT_ONCE = 100;

    /** @param missed how many changes before this one were dropped */
    private record Pending(long number, TaskEvent event, long missed) {}

    private final Context context;
    private final HttpServerResponse response;
    private final Predicate<TaskEvent> filter;

    private final Deque<Pending> pending = new ArrayDeque<>();
    private long missed;
    /** Whether the event loop will write the pending changes, now or after the listener has read. */
    private boolean isWriting;

    EventStream(Context context, HttpServerResponse response, Predicate<TaskEvent> filter) {
        this.context = context;
        this.response = response;
        this.filter = filter;
    }

    /** Starts the response; on the event loop. */
    void open() {
        response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("X-Accel-Buffering", "no") // asks proxies not to buffer the response
                .putHeader("Cache-Control", "no-store")
                .drainHandler(unused -> write());
        comment("listening");
    }

    /** Offers a change, to be written soon; from any thread. */
    void offer(long number, TaskEvent event) {
        if (!filter.test(event)) {
            return;
        }
        synchronized (this) {
            if (pending.size() == MOST_PENDING) {
                missed++;
            } else {
                pending.add(new Pending(number, event, missed));
                missed = 0;
            }
            if (isWriting) {
                return;
            }
            isWriting = true;
        }
        context.runOnContext(unused -> write());
    }

    private void write() {
        while (!response.writeQueueFull()) {
            String events = next();
            if (events.isEmpty()) {
                return;
            }
            Future<Void> unused = response.write(events);
        }
    }

    private synchronized String next() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < MOST_AT_ONCE && !pending.isEmpty(); i++) {
            Pending next = pending.remove();
            appendMissed(text, next.missed);
            append(text, next.number, next.event);
        }
        if (pending.isEmpty()) {
            appendMissed(text, missed);
            missed = 0;
        }
        isWriting = !text.isEmpty();
        return text.toString();
    }

    private static void append(StringBuilder text, long number, TaskEvent event) {
        text.append("id: ").append(number).append("\nevent: change\ndata: ");
        text.append(JsonNodeFactory.instance
                .objectNode()
                .put("kind", EventFilter.name(event.kind()))
                .put("queue", event.queue())
                .put("task", event.taskId())
                .put("state", TaskJson.name(event.state())));
        text.append("\n\n");
    }

    private static void appendMissed(StringBuilder text, long count) {
        if (count > 0) {
            text.append("event: missed\ndata: {\"count\":").append(count).append("}\n\n");
        }
    }

    /** Sends a comment, so that the listener and proxies see that the connection lives; from any thread. */
    void keepAlive() {
        context.runOnContext(unused -> {
            if (!response.writeQueueFull()) {
                comment("");
            }
        });
    }

    private void comment(String text) {
        Future<Void> unused = response.write(":" + text + "\n\n");
    }

    /** From any thread. */
    void end() {
        context.runOnContext(unused -> {
            if (!response.ended()) {
                Future<Void> ended = response.end();
            }
        });
    }
}
