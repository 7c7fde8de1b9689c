package dev.leat.server.internal.consume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.Registration;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.error.LeatException;
import dev.leat.server.ServerOptions;
import dev.leat.server.internal.limits.ConnectionLimits;
import dev.leat.server.internal.limits.StorageThreads;
import dev.leat.storage.Capability;
import dev.leat.storage.Notice;
import dev.leat.storage.Storage;
import dev.leat.wire.Cbor;
import dev.leat.wire.Hello;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connections of consumers. */
public final class Sockets implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Sockets.class);
    private static final long LATER_MILLIS = 2;
    private static final long LONGEST_STOP_MILLIS = 1_000;
    /** How a client names itself, so that its next connection ends the last. */
    private static final String CLIENT = "client";

    private static final String VERSION = "version";
    /** Whether a client wants the storage's notices. */
    private static final String LISTEN = "listen";

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Vertx vertx;
    private final Leat leat;
    private final StorageThreads threads;
    private final ConnectionLimits httpConnections;
    private final Operations operations;
    private final Duration longestWait;
    private final Duration longestSilence;
    private final ObjectNode hello;
    private final String version = Hello.ownVersion();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Map<String, Connection> byClient = new ConcurrentHashMap<>();
    private final Map<String, Set<Connection>> bySession = new ConcurrentHashMap<>();
    private final long pings;
    private final Registration listening;
    private volatile boolean isStopping;
    private volatile boolean isClosed;

    public Sockets(
            Vertx vertx, Leat leat, ServerOptions options, StorageThreads threads, ConnectionLimits httpConnections) {
        this.httpConnections = httpConnections;
        this.vertx = vertx;
        this.leat = leat;
        this.threads = threads;
        this.operations = new Operations(leat);
        this.longestWait = options.longestWait();
        Set<Capability> capabilities = EnumSet.of(Capability.SHARED);
        if (storage().capabilities().contains(Capability.DURABLE)) {
            capabilities.add(Capability.DURABLE);
        }
        Duration third = options.idleTimeout().dividedBy(3);
        Duration heartbeat = options.heartbeat().compareTo(third) > 0 ? third : options.heartbeat();
        Hello words = new Hello(
                version,
                UUID.randomUUID().toString(),
                storage().name(),
                capabilities,
                storage().signal().missInterval(),
                heartbeat,
                options.missableHeartbeats(),
                options.largestBody());
        this.listening = storage().signal().listen(this::hear);
        this.hello = Cbor.map().set(Hello.FIELD, words.map());
        this.longestSilence = words.longestSilence();
        this.pings = vertx.setPeriodic(
                Math.max(1, heartbeat.toMillis()), unused -> connections.forEach(each -> each.ping(longestSilence)));
    }

    // Connections

    /** Makes a request a connection; on its event loop. */
    public void accept(HttpServerRequest request, Caller caller) {
        @Nullable String client = request.getParam(CLIENT);
        @Nullable String clientVersion = request.getParam(VERSION);
        if (clientVersion != null && !clientVersion.equals(version)) {
            log.warn("A client of version {} connects to this server of version {}", clientVersion, version);
        }
        boolean isListening = Boolean.parseBoolean(request.getParam(LISTEN));
        request.toWebSocket()
                .onSuccess(socket -> open(socket, request.connection(), client, isListening, caller))
                .onFailure(e -> log.debug("{} did not become a WebSocket", request.remoteAddress(), e));
    }

    private void open(
            ServerWebSocket socket,
            HttpConnection upgraded,
            @Nullable String client,
            boolean isListening,
            Caller caller) {
        Context context = vertx.getOrCreateContext();
        Connection connection = new Connection(this, socket, context, isListening, caller);
        connections.add(connection);
        connection.prepare(() -> httpConnections.closed(upgraded));
        @Nullable Connection last = client == null ? null : byClient.put(client, connection);
        if (last == null) {
            connection.open(hello);
        } else {
            last.replaceBy(() -> context.runOnContext(unused -> connection.open(hello)));
        }
        if (isStopping) {
            CompletableFuture<Void> unused = connection.announceStop();
        }
    }

    /** The connection is gone: so are the sessions that nobody else uses. On a storage thread. */
    void ended(Connection connection) {
        connections.remove(connection);
        for (Map.Entry<String, Set<Connection>> session : bySession.entrySet()) {
            if (session.getValue().remove(connection) && !isStopping) {
                try {
                    disconnectUnused(session.getKey());
                } catch (LeatException e) {
                    log.warn("The end of a connection could not be told to the storage: {}", e.getMessage());
                }
            }
        }
        byClient.values().remove(connection); // not before: the client's next one waits for this
    }

    /** The session has ended, or was never there. */
    void detach(String session) {
        bySession.remove(session);
    }

    private void disconnectUnused(String session) {
        Set<Connection> left = bySession.computeIfPresent(session, (id, users) -> users.isEmpty() ? null : users);
        if (left == null) {
            storage().sessions().disconnect(session);
        }
    }

    void attach(String session, Connection connection) {
        bySession.compute(session, (id, users) -> {
            Set<Connection> all = users == null ? ConcurrentHashMap.newKeySet() : users;
            all.add(connection);
            return all;
        });
    }

    // For connections

    Leat leat() {
        return leat;
    }

    Storage storage() {
        return leat.storage();
    }

    Operations operations() {
        return operations;
    }

    StorageThreads threads() {
        return threads;
    }

    boolean isStopping() {
        return isStopping;
    }

    CompletableFuture<List<TakenTask>> waitFor(TakeRequest request, Duration wait) {
        return leat.takeAsync(List.of(request), wait.compareTo(longestWait) > 0 ? longestWait : wait);
    }

    /** Runs it on an event loop after a short while. */
    void later(Runnable run) {
        vertx.setTimer(LATER_MILLIS, unused -> run.run());
    }

    /** Runs it on a storage thread, as soon as one has time. */
    void soon(Runnable run) {
        Runnable careful = () -> {
            try {
                run.run();
            } catch (LeatException e) {
                log.warn("The end of a connection could not be told to the storage: {}", e.getMessage());
            }
        };
        if (!threads.offer(careful) && !isClosed) {
            later(() -> soon(run));
        }
    }

    /** One that no other lock has, in this run of the server or another. */
    long lockNumber() {
        return RANDOM.nextLong();
    }

    private void hear(Notice notice) {
        if (notice instanceof Notice.SessionNews news) {
            bySession.getOrDefault(news.session(), Set.of()).forEach(connection -> connection.tell(notice));
        } else {
            connections.forEach(connection -> connection.tell(notice));
        }
    }

    // The end

    /** Tells everybody; what comes later is passed over, what was read is answered, as far as that takes no longer than a second. */
    public void stop() {
        isStopping = true;
        vertx.cancelTimer(pings);
        CompletableFuture<Void> told = CompletableFuture.allOf(
                connections.stream().map(Connection::announceStop).toArray(CompletableFuture[]::new));
        try {
            told.get(LONGEST_STOP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Not everybody could be told that the server stops", e);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        listening.close();
        connections.forEach(connection -> connection.close((short) 1001, "the server stops"));
    }
}
