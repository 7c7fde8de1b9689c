package dev.leat.server;

import dev.leat.InvalidRequestException;
import dev.leat.Leat;
import dev.leat.LeatException;
import dev.leat.server.internal.AuditLog;
import dev.leat.server.internal.Http;
import dev.leat.server.internal.Rounds;
import dev.leat.server.internal.access.Access;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a {@link Leat} over HTTP until it is closed. The Leat stays open, and is the caller's.
 *
 * <p>Requests are read and answered on Vert.x's event loops; storage calls run on threads of the server's own. A thread more looks
 * after its files.
 */
public final class LeatServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeatServer.class);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final Duration LOOK_AT_FILES = Duration.ofSeconds(1);
    private static final int EVENT_LOOPS = 2;
    private static final int LARGEST_HEADERS = 16 * 1024;
    private static final int LONGEST_LINE = 8 * 1024;

    private final Vertx vertx;
    private final Http http;
    private final HttpServer server;
    private final Rounds rounds;
    private final AuditLog audit;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private LeatServer(Vertx vertx, Http http, HttpServer server, Rounds rounds, AuditLog audit) {
        this.vertx = vertx;
        this.http = http;
        this.server = server;
        this.rounds = rounds;
        this.audit = audit;
    }

    /** Starts a server; returns when it takes connections. */
    public static LeatServer start(Leat leat, ServerOptions options) {
        boolean isLoopback = isLoopback(options.host());
        checkExposure(options, isLoopback);
        Access access =
                options.tokens().map(file -> Access.with(new TokenFile(file))).orElseGet(Access::unlimited);
        AuditLog audit = AuditLog.to(options.auditLog());
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS));
        Http http = new Http(vertx, leat, options, isLoopback, access, audit);
        HttpServerOptions listening = new HttpServerOptions()
                .setMaxHeaderSize(LARGEST_HEADERS)
                .setMaxInitialLineLength(LONGEST_LINE)
                .setMaxWebSocketMessageSize(options.largestBody())
                .setMaxWebSocketFrameSize(options.largestBody())
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) options.idleTimeout().toMillis());
        try {
            HttpServer server = vertx.createHttpServer(listening)
                    .requestHandler(http.router())
                    .listen(options.port(), options.host())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            Rounds rounds = new Rounds();
            rounds.every(LOOK_AT_FILES, access::refresh);
            return new LeatServer(vertx, http, server, rounds, audit);
        } catch (CompletionException e) {
            http.close();
            audit.close();
            vertx.close();
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new LeatException(
                    "Cannot listen on " + options.host() + ":" + options.port() + ": " + cause.getMessage(), cause);
        }
    }

    private static void checkExposure(ServerOptions options, boolean isLoopback) {
        if (isLoopback || options.tokens().isPresent()) {
            return;
        }
        if (options.exposure() == ServerOptions.Exposure.LOOPBACK) {
            throw new InvalidRequestException(
                    "host",
                    "must be a loopback address, was '" + options.host()
                            + "': whoever could reach it might do everything. Give the server tokens, or say that this is meant"
                            + " (insecure)");
        }
        log.warn("Everybody who reaches {} may do everything: the server has no tokens", options.host());
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new InvalidRequestException("host", "is unknown: '" + host + "'", e);
        }
    }

    /** The port it listens on, also if a free one was asked for. */
    public int port() {
        return server.actualPort();
    }

    /** Takes no more requests, answers those it has within some seconds, and ends its threads. */
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
