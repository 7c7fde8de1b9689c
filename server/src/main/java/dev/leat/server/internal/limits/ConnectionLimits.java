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
 * Closes connections above the limit, and connections whose callers send their requests too slowly.
 *
 * <p>Vert.x's idle timeout is not enough: a caller that sends a byte of a body or an HTTP/2 ping now and then is never idle. Such a caller
 * could use up all connections. WebSockets have rules of their own and are ignored here.
 *
 * <p>Event loops report requests and answers. The thread of the periodic jobs calls {@link #closeSlow}.
 */
public final class ConnectionLimits {
    private static final Logger log = LoggerFactory.getLogger(ConnectionLimits.class);

    private static final int SWITCHING_PROTOCOLS = 101;

    private final int most;
    private final Duration requestTimeout;
    private final Duration idleTimeout;
    private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
    /** Open connections without the WebSockets. */
    private final Map<HttpConnection, Caller> callers = new ConcurrentHashMap<>();

    /**
     * @param most the largest number of connections
     * @param requestTimeout the time limit for the first headers, and for each body after its headers
     * @param idleTimeout the time limit for the next headers after an answer
     */
    public ConnectionLimits(int most, Duration requestTimeout, Duration idleTimeout) {
        this.most = most;
        this.requestTimeout = requestTimeout;
        this.idleTimeout = idleTimeout;
    }

    public void opened(HttpConnection connection) {
        if (open.size() >= most) {
            log.debug("Closed a new connection: {} connections are open already", most);
            Future<Void> unused = connection.close();
            return;
        }
        open.add(connection);
        callers.put(connection, new Caller());
        connection.closeHandler(closed -> closed(connection));
    }

    /** Removes a closed connection. Vert.x does not report the end of an upgraded connection, so the WebSocket calls this method. */
    public void closed(HttpConnection connection) {
        open.remove(connection);
        callers.remove(connection);
    }

    /** Records that the headers of a request have arrived. */
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
                log.debug("Closed a connection of {}: the caller is too slow", connection.remoteAddress());
                Future<Void> unused = connection.close();
            }
        });
    }

    private static boolean isUpgraded(HttpServerRequest request) {
        return request.response().getStatusCode() == SWITCHING_PROTOCOLS;
    }

    /** The open requests of one connection, with the arrival time of their headers. */
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

        /** A request can be answered before its body has arrived; the limit for the body still holds. */
        private void forgetAnswered() {
            requests.keySet()
                    .removeIf(request -> !isUpgraded(request)
                            && (request.response().closed()
                                    || request.isEnded() && request.response().ended()));
        }
    }
}
