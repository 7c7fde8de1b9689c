package dev.leat.server.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.error.LeatException;
import dev.leat.server.ServerOptions;
import dev.leat.server.internal.access.Access;
import dev.leat.server.internal.access.AuditLog;
import dev.leat.server.internal.access.Grant;
import dev.leat.server.internal.consume.Caller;
import dev.leat.server.internal.consume.Sockets;
import dev.leat.server.internal.events.EventStreams;
import dev.leat.server.internal.limits.ConnectionLimits;
import dev.leat.server.internal.limits.StorageThreads;
import dev.leat.server.internal.rest.Api;
import dev.leat.server.internal.rest.Problem;
import dev.leat.server.internal.rest.QueueAccess;
import dev.leat.server.internal.rest.Reply;
import dev.leat.server.internal.rest.RestCall;
import dev.leat.server.internal.rest.Route;
import dev.leat.wire.Hello;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects HTTP to the routes. Vert.x's event loops read requests and send answers. {@link StorageThreads} run the routes and write
 * the JSON.
 */
public final class Http implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Http.class);
    /** The limit for writing: an answer nests the accepted JSON some levels deeper. */
    private static final int DEEPEST = 2_000;

    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build());
    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";
    private static final String GRANT = "leat.grant";
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

    private final Vertx vertx;
    private final Leat leat;
    private final ServerOptions options;
    private final boolean isLoopback;
    private final Access access;
    private final QueueAccess gate;
    private final AuditLog audit;
    private final StorageThreads threads;
    private final Sockets sockets;
    private final EventStreams events;
    private final Set<CompletableFuture<?>> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean isStopping;

    /** @param isLoopback whether only programs on this machine can reach the server */
    public Http(
            Vertx vertx,
            Leat leat,
            ServerOptions options,
            boolean isLoopback,
            Access access,
            AuditLog audit,
            ConnectionLimits connections) {
        this.vertx = vertx;
        this.leat = leat;
        this.options = options;
        this.isLoopback = isLoopback;
        this.access = access;
        this.gate = new QueueAccess(leat);
        this.audit = audit;
        this.threads = new StorageThreads(options.storageThreads(), options.waitingCalls());
        this.sockets = new Sockets(vertx, leat, options, threads, connections);
        this.events = new EventStreams(vertx, leat, options.idleTimeout());
    }

    // Requests

    public Router router() {
        Router router = Router.router(vertx);
        router.route().handler(this::checkCaller);
        List<Route> routes = Api.routes(leat, gate, options);
        routes.stream().filter(route -> route.role().isEmpty()).forEach(route -> add(route, router));
        router.route().handler(this::identify); // before the body: only identified callers may use memory
        router.get(Hello.PATH).handler(request -> sockets.accept(request.request(), caller(request)));
        router.route().handler(BodyHandler.create(false).setBodyLimit(options.largestBody()));
        routes.stream().filter(route -> route.role().isPresent()).forEach(route -> add(route, router));
        router.route().failureHandler(Http::ignoreDisconnects);
        router.errorHandler(
                404,
                request -> send(
                        request,
                        404,
                        "not-found",
                        "No call has the path " + request.request().path()));
        router.errorHandler(
                405,
                request -> send(
                        request,
                        405,
                        "method-not-allowed",
                        request.request().method() + " is not allowed for "
                                + request.request().path()));
        router.errorHandler(
                413,
                request -> send(
                        request, 413, "too-large", "The body must have at most " + options.largestBody() + " bytes"));
        router.errorHandler(400, request -> send(request, 400, "invalid", "The request is malformed"));
        router.errorHandler(500, request -> {
            log.error(
                    "{} {} failed",
                    request.request().method(),
                    request.request().path(),
                    request.failure());
            send(request, 500, "internal", "The server failed; its log has the exception");
        });
        return router;
    }

    /** A caller that disconnects or is too slow within a body is not a failure of the server. */
    private static void ignoreDisconnects(RoutingContext request) {
        if (!(request.failure() instanceof HttpClosedException)) {
            request.next();
        }
    }

    private void add(Route route, Router router) {
        router.route(HttpMethod.valueOf(route.method()), route.path().replaceAll("\\{(\\w+)}", ":$1"))
                .handler(request -> run(route, request));
    }

    /** Refuses calls by browser pages on this machine, and bodies other than JSON. */
    private void checkCaller(RoutingContext request) {
        @Nullable HostAndPort authority = request.request().authority();
        String host = authority == null ? "" : authority.host().toLowerCase(Locale.ROOT);
        @Nullable String origin = request.request().getHeader("Origin");
        @Nullable String type = request.request().getHeader("Content-Type");
        if (isLoopback
                && !LOOPBACK_NAMES.contains(host)
                && !host.equals(options.host().toLowerCase(Locale.ROOT))) {
            // DNS rebinding: a page can resolve a name of its own to this machine.
            send(
                    request,
                    421,
                    "wrong-host",
                    "This server answers to localhost and 127.0.0.1 only, not to '" + host + "'");
        } else if (origin != null) {
            audit.writeSoon(act(request, 403));
            send(request, 403, "cross-site", "This server refuses calls of browser pages, such as one of " + origin);
        } else if (hasBody(request)
                && (type == null || !type.toLowerCase(Locale.ROOT).startsWith(JSON))) {
            send(request, 415, "not-json", "The body must be application/json, was " + type);
        } else {
            request.next();
        }
    }

    private void identify(RoutingContext request) {
        Optional<Grant> grant = access.of(request.request().getHeader("Authorization"));
        if (grant.isPresent()) {
            request.put(GRANT, grant.get());
            request.next();
        } else {
            audit.writeSoon(act(request, 401));
            request.response().putHeader("WWW-Authenticate", "Bearer");
            send(request, 401, "unauthorized", "This needs 'Authorization: Bearer TOKEN', with a valid token");
        }
    }

    private Caller caller(RoutingContext request) {
        @Nullable String authorization = request.request().getHeader("Authorization");
        Grant grant = request.get(GRANT, Grant.none());
        String address = request.request().remoteAddress().hostAddress();
        return new Caller(
                grant,
                () -> access.of(authorization).equals(Optional.of(grant)),
                (operation, status) ->
                        audit.write(new AuditLog.Act(grant.name(), address, Hello.PATH + " " + operation, status)));
    }

    private static boolean hasBody(RoutingContext request) {
        @Nullable String length = request.request().getHeader("Content-Length");
        return length != null && !length.equals("0") || request.request().getHeader("Transfer-Encoding") != null;
    }

    private void run(Route route, RoutingContext request) {
        if (route.handler() instanceof Route.Always always) {
            send(request, always.answer());
            return;
        }
        @Nullable Buffer body = request.body().buffer();
        Map<String, List<String>> query = new HashMap<>();
        request.queryParams()
                .names()
                .forEach(name -> query.put(name, request.queryParams().getAll(name)));
        Grant grant = request.get(GRANT, Grant.none());
        RestCall call = new RestCall(
                grant,
                Map.copyOf(request.pathParams()),
                query,
                RestCall.idempotencyKey(request.request().getHeader(RestCall.IDEMPOTENCY_KEY)),
                body == null ? new byte[0] : body.getBytes());
        if (route.handler() instanceof Route.Listening listening) {
            listen(route, listening, call, request);
            return;
        }
        Context context = vertx.getOrCreateContext();
        if (!threads.offer(() -> perform(route, call, request, context))) {
            if (route.isOperatorAction()) {
                audit.writeSoon(act(request, 503));
            }
            request.response().putHeader("Retry-After", "1");
            send(request, 503, "busy", "Too many calls wait for the storage; try again");
        }
    }

    private void listen(Route route, Route.Listening listening, RestCall call, RoutingContext request) {
        try {
            gate.check(route, call);
            if (!events.open(listening.filter().apply(call), request.response())) {
                request.response().putHeader("Retry-After", "1");
                send(
                        request,
                        503,
                        "busy",
                        "At most " + EventStreams.MOST_LISTENERS + " callers may listen; try again later");
            }
        } catch (LeatException e) {
            refuse(request, e);
        }
    }

    // On a storage thread

    /** Answers after errors too, so that the caller does not wait for ever. */
    private void perform(Route route, RestCall call, RoutingContext request, Context context) {
        StorageThreads.check();
        try {
            gate.check(route, call);
            if (route.handler() instanceof Route.Waiting<?> wait) {
                await(wait, call, request, context);
            } else if (route.handler() instanceof Route.Direct direct) {
                Reply reply = direct.answer().apply(call);
                byte[] bytes = bytes(reply);
                auditIfNeeded(route, request, reply.status());
                context.runOnContext(unused -> send(request, reply.status(), JSON, bytes));
            } else if (route.handler() instanceof Route.Text text) {
                byte[] bytes = text.answer().get().getBytes(StandardCharsets.UTF_8);
                context.runOnContext(unused -> send(request, 200, text.type(), bytes));
            }
        } catch (RuntimeException | Error e) {
            auditIfNeeded(route, request, Problem.of(e).map(Problem::status).orElse(500));
            context.runOnContext(unused -> refuse(request, e));
        }
    }

    private void auditIfNeeded(Route route, RoutingContext request, int status) {
        if (route.isOperatorAction() || status == 403) {
            audit.write(act(request, status));
        }
    }

    /** The path without the query, which can hold secrets by mistake. */
    private static AuditLog.Act act(RoutingContext request, int status) {
        Grant grant = request.get(GRANT, Grant.none());
        return new AuditLog.Act(
                grant.name(),
                request.request().remoteAddress().hostAddress(),
                request.request().method() + " " + request.request().path(),
                status);
    }

    private <T> void await(Route.Waiting<T> wait, RestCall call, RoutingContext request, Context context) {
        CompletableFuture<T> answer = wait.begin().apply(call);
        waiting.add(answer);
        if (isStopping) {
            answer.cancel(true);
        }
        context.runOnContext(unused -> {
            request.response().closeHandler(closed -> answer.cancel(true));
            if (request.response().closed()) {
                answer.cancel(true);
            }
        });
        answer.whenComplete((found, error) -> {
            waiting.remove(answer);
            if (answer.isCancelled()) {
                context.runOnContext(unused -> send(request, wait.stopped()));
            } else if (error != null) {
                context.runOnContext(unused -> refuse(request, error));
            } else if (!threads.offer(() -> answer(wait, found, request, context))) {
                answer(wait, found, request, context);
            }
        });
    }

    /** Gives the tasks back if the answer cannot be sent. */
    private <T> void answer(Route.Waiting<T> wait, T found, RoutingContext request, Context context) {
        byte[] bytes;
        int status;
        try {
            Reply reply = wait.answer().apply(found);
            status = reply.status();
            bytes = bytes(reply);
        } catch (RuntimeException | Error e) {
            wait.undo().apply(found).ifPresent(Runnable::run);
            context.runOnContext(unused -> refuse(request, e));
            return;
        }
        context.runOnContext(unused -> {
            if (request.response().closed()) {
                undoSoon(wait, found);
            } else {
                send(request, status, JSON, bytes).onFailure(e -> undoSoon(wait, found));
            }
        });
    }

    private <T> void undoSoon(Route.Waiting<T> wait, T found) {
        boolean isLeftUndone =
                wait.undo().apply(found).filter(undo -> !threads.offer(undo)).isPresent();
        if (isLeftUndone) {
            log.warn(
                    "Could not give back tasks of a consumer that is gone: too many calls wait. They come back when their leases end");
        }
    }

    private static byte[] bytes(Reply reply) {
        try {
            return reply.body().isPresent()
                    ? MAPPER.writeValueAsBytes(reply.body().get())
                    : new byte[0];
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("The answer cannot be written", e);
        }
    }

    // Answers

    private void refuse(RoutingContext request, Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        Optional<Problem> problem = Problem.of(cause);
        if (problem.isPresent()) {
            send(request, problem.get());
        } else {
            request.fail(500, cause);
        }
    }

    private static void send(RoutingContext request, Reply reply) {
        Future<Void> unused = send(request, reply.status(), JSON, bytes(reply));
    }

    private static void send(RoutingContext request, int status, String code, String detail) {
        send(request, Problem.of(status, code, detail));
    }

    private static void send(RoutingContext request, Problem problem) {
        byte[] bytes = bytes(new Reply(problem.status(), Optional.of(problem.json())));
        Future<Void> unused = send(request, problem.status(), PROBLEM, bytes);
    }

    private static Future<Void> send(RoutingContext request, int status, String type, byte[] bytes) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return Future.failedFuture("the caller is gone");
        }
        response.setStatusCode(status)
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Cache-Control", "no-store");
        return bytes.length == 0
                ? response.end()
                : response.putHeader("Content-Type", type).end(Buffer.buffer(bytes));
    }

    /** Answers all waiting callers and listeners, and refuses new ones. */
    public void stopWaiting() {
        events.close();
        isStopping = true;
        waiting.forEach(answer -> answer.cancel(true));
        sockets.stop();
    }

    @Override
    public void close() {
        sockets.close();
        threads.close();
    }
}
