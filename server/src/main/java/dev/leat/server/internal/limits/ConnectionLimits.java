package dev.leat.server.internal.limits;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections that are too many, or whose callers take too long to ask.
 *
 * <p>Vert.x's idle timeout alone would not do: who sends a byte of a body, or a ping of HTTP/2, now and then is never idle, and
 * with some thousands of connections takes all there are. What became a WebSocket has its own rules and is left alone.
 *
 * <p>Event loops report what happens; another thread calls {@link #closeSlow} now and then.
 */
public final class ConnectionLimits {
    private static final Logger log = LoggerFactory.getLogger(ConnectionLimits.class);

    private static final int SWITCHING_PROTOCOLS = 101;

    private final int most;
    private final Duration requestTimeout;
    private final Duration idleTimeout;
    private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
    /** Those that are not WebSockets. */
    private final Map<HttpConnection, Caller> callers = new ConcurrentHashMap<>();

    /**
     * @param most how many there may be
     * @param requestTimeout within what time the first headers must be here, and each body after its headers
     * @param idleTimeout within what time after an answer the next headers must be here
     */
    public ConnectionLimits(int most, Duration requestTimeout, Duration idleTimeout) {
        this.most = most;
        this.requestTimeout = requestTimeout;
        this.idleTimeout = idleTimeout;
    }

    public void opened(HttpConnection connection) {
        if (open.size() >= most) {
            log.debug("A connection is closed at once: there are {} already", most);
            Future<Void> unused = connection.close();
            return;
        }
        open.add(connection);
        callers.put(connection, new Caller());
        connection.closeHandler(closed -> closed(connection));
    }

    /** Its place is free. Vert.x does not tell of those that became WebSockets, so that they tell themselves. */
    public void closed(HttpConnection connection) {
        open.remove(connection);
        callers.remove(connection);
    }

    /** The headers of a request are here. */
    public void asked(HttpServerRequest request) {
        Caller caller = callers.get(request.connection());
        if (caller != null) {
            caller.asked(request);
        }
    }

    public void closeSlow() {
        callers.forEach((connection, caller) -> {
            if (caller.isWebSocket()) {
                callers.remove(connection);
            } else if (caller.isSlow()) {
                log.debug("A connection of {} is closed: the caller is too slow", connection.remoteAddress());
                Future<Void> unused = connection.close();
            }
        });
    }

    private static boolean isUpgraded(HttpServerRequest request) {
        return request.response().getStatusCode() == SWITCHING_PROTOCOLS;
    }

    /** What one caller has asked for and not got, with the time at which its headers were here. */
    private final class Caller {
        private final Map<HttpServerRequest, Long> requests = new HashMap<>();
        private long silentSince = System.nanoTime();
        private Duration patience = requestTimeout;

        synchronized void asked(HttpServerRequest request) {
            forgetAnswered();
            requests.put(request, System.nanoTime());
            patience = idleTimeout;
        }

        synchronized boolean isWebSocket() {
            return requests.keySet().stream().anyMatch(ConnectionLimits::isUpgraded);
        }

        synchronized boolean isSlow() {
            forgetAnswered();
            long now = System.nanoTime();
            if (requests.isEmpty()) {
                return now - silentSince > patience.toNanos();
            }
            silentSince = now;
            return requests.entrySet().stream()
                    .anyMatch(request ->
                            !request.getKey().isEnded() && now - request.getValue() > requestTimeout.toNanos());
        }

        /** A request may be answered before its body is here: that body is still waited for. */
        private void forgetAnswered() {
            requests.keySet()
                    .removeIf(request -> !isUpgraded(request)
                            && (request.response().closed()
                                    || request.isEnded() && request.response().ended()));
        }
    }
}
