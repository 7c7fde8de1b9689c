package dev.leat.server;

import dev.leat.Leat;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.server.internal.Certificate;
import dev.leat.server.internal.Http;
import dev.leat.server.internal.PeriodicJobs;
import dev.leat.server.internal.access.Access;
import dev.leat.server.internal.access.AuditLog;
import dev.leat.server.internal.limits.ConnectionLimits;
import dev.leat.server.internal.metrics.StorageMeter;
import dev.leat.storage.Storage;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a {@link Leat} over HTTP until the server is closed. The caller closes the Leat.
 *
 * <p>Vert.x's event loops read and answer requests. Storage calls run on threads of the server. One more thread runs the periodic jobs for
 * files and connections.
 */
public final class LeatServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeatServer.class);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final Duration LOOK_AT_FILES = Duration.ofSeconds(1);
    private static final Duration MOST_OFTEN = Duration.ofMillis(10);
    private static final Duration LEAST_OFTEN = Duration.ofSeconds(1);
    private static final int EVENT_LOOPS = 2;
    private static final int LARGEST_HEADERS = 16 * 1024;
    private static final int LONGEST_LINE = 8 * 1024;
    private static final int MOST_STREAMS = 100;

    private final Vertx vertx;
    private final Http http;
    private final HttpServer server;
    private final PeriodicJobs rounds;
    private final AuditLog audit;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private LeatServer(Vertx vertx, Http http, HttpServer server, PeriodicJobs rounds, AuditLog audit) {
        this.vertx = vertx;
        this.http = http;
        this.server = server;
        this.rounds = rounds;
        this.audit = audit;
    }

    /** Starts a server, and returns when the server accepts connections. */
    public static LeatServer start(Leat leat, ServerOptions options) {
        boolean isLoopback = isLoopback(options.host());
        checkExposure(options, isLoopback);
        Access access =
                options.tokens().map(file -> Access.with(new TokenFile(file))).orElseGet(Access::unlimited);
        AuditLog audit = AuditLog.to(options.auditLog());
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS));
        ConnectionLimits connections =
                new ConnectionLimits(options.mostConnections(), options.requestTimeout(), options.idleTimeout());
        Http http = new Http(vertx, leat, options, isLoopback, access, audit, connections);
        PeriodicJobs rounds = new PeriodicJobs();
        try {
            Optional<Certificate> certificate = options.tls().map(files -> new Certificate(vertx, files));
            Router router = http.router();
            HttpServer server = vertx.createHttpServer(listening(options, certificate))
                    .connectionHandler(connections::opened)
                    .requestHandler(request -> {
                        connections.asked(request);
                        router.handle(request);
                    })
                    .listen(options.port(), options.host())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            rounds.every(LOOK_AT_FILES, access::refresh);
            certificate.ifPresent(files -> rounds.every(LOOK_AT_FILES, () -> files.renew(server)));
            rounds.every(lookAtConnections(options), connections::closeSlow);
            return new LeatServer(vertx, http, server, rounds, audit);
        } catch (LeatException | CompletionException e) {
            rounds.close();
            http.close();
            audit.close();
            vertx.close();
            if (e instanceof LeatException) {
                throw e;
            }
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new LeatException(
                    "Cannot listen on " + options.host() + ":" + options.port() + ": " + cause.getMessage(), cause);
        }
    }

    /**
     * HTTP/2 needs TLS. In clear text, Vert.x reports an HTTP/2 connection only after its first headers, so no timeout could close it
     * before.
     */
    private static HttpServerOptions listening(ServerOptions options, Optional<Certificate> certificate) {
        HttpServerOptions listening = new HttpServerOptions()
                .setMaxHeaderSize(LARGEST_HEADERS)
                .setMaxInitialLineLength(LONGEST_LINE)
                .setMaxWebSocketMessageSize(options.largestBody())
                .setMaxWebSocketFrameSize(options.largestBody())
                .setWebSocketClosingTimeout(1)
                .setHttp2ClearTextEnabled(false)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(MOST_STREAMS)
                        .setMaxHeaderListSize(LARGEST_HEADERS))
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) options.idleTimeout().toMillis());
        certificate.ifPresent(files -> listening
                .setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(files.read())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(options.requestTimeout().toMillis()));
        return listening;
    }

    /** A timeout is at most a tenth late. */
    private static Duration lookAtConnections(ServerOptions options) {
        Duration tenth = options.requestTimeout().dividedBy(10);
        return tenth.compareTo(MOST_OFTEN) < 0 ? MOST_OFTEN : tenth.compareTo(LEAST_OFTEN) > 0 ? LEAST_OFTEN : tenth;
    }

    private static void checkExposure(ServerOptions options, boolean isLoopback) {
        if (isLoopback) {
            return;
        }
        if (options.tokens().isPresent()) {
            if (options.tls().isEmpty()) {
                log.warn("Tokens are sent to {} in clear text: the server has no certificate", options.host());
            }
            return;
        }
        if (options.exposure() == ServerOptions.Exposure.LOOPBACK) {
            throw new InvalidRequestException(
                    "host",
                    "must be a loopback address, was '" + options.host()
                            + "': every program that reaches the address would have all permissions. Give the server tokens, or"
                            + " allow this explicitly (insecure)");
        }
        log.warn("Every program that reaches {} has all permissions: the server has no tokens", options.host());
    }

    /**
     * Wraps a storage so that {@code /metrics} has the duration of its calls, the time that tasks wait, and the number of fenced settles.
     * Open the Leat of the server with the returned storage.
     */
    public static Storage measured(Storage storage) {
        return StorageMeter.around(storage);
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new InvalidRequestException("host", "is unknown: '" + host + "'", e);
        }
    }

    /** The port that the server listens on, also when the options ask for a free port. */
    public int port() {
        return server.actualPort();
    }

    /** Accepts no more requests, answers the open requests within some seconds, and ends its threads. */
    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        rounds.close();
        http.stopWaiting();
        server.shutdown(STOP).toCompletionStage().toCompletableFuture().join();
        http.close();
        audit.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
