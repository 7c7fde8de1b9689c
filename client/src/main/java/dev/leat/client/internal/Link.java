package dev.leat.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.error.StorageException;
import dev.leat.json.JsonFields;
import dev.leat.storage.Notice;
import dev.leat.wire.Cbor;
import dev.leat.wire.Errors;
import dev.leat.wire.Hello;
import dev.leat.wire.Op;
import dev.leat.wire.SessionMessages;
import java.io.ByteArrayOutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to a server. The thread {@code leat-link} connects, and connects again after a loss. Calls wait meanwhile. A call whose answer
 * was lost is sent again if a repetition is harmless.
 *
 * <p>Calls of several threads that come while a message is on its way share the next message.
 */
final class Link implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Link.class);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** A server that still works for an older connection of this client greets late. */
    private static final Duration GREETING = Duration.ofSeconds(10);

    private static final Duration LASTING = Duration.ofSeconds(1);
    /** After this silence, the client pings the server if a call waits for an answer. */
    private static final Duration UNEASY = Duration.ofSeconds(1);

    private static final long FIRST_PAUSE_MILLIS = 10;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final long LOOK_MILLIS = 500;
    /** Keeps a call that breaks each connection from breaking connections for ever. */
    private static final int MOST_SENDINGS = 5;
    /** The largest message, in bytes, that gathers several calls. */
    private static final int MOST_GATHERED = 256 * 1024;

    /** Hears of the connection, on threads of the link; returns quickly. */
    interface Listener {
        /** The server has sent a notice. */
        void heard(Notice notice);

        /** The first or another connection is open. */
        void connected();
    }

    private final RemoteUrl url;
    private final Listener listener;
    private final String client = Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX);
    private final String version = Hello.ownVersion();
    private final ExecutorService executor = Executors.newCachedThreadPool(Link::thread);
    private final HttpClient http;
    private final Thread connector = thread(this::run);
    private final AtomicLong numbers = new AtomicLong();
    private volatile Duration missInterval = Duration.ofSeconds(1);

    // Guarded by this
    private final Map<Long, PendingCall> sent = new LinkedHashMap<>();
    private final Deque<PendingCall> unsent = new ArrayDeque<>();
    private @Nullable Connection connection;
    private int largestMessage = Integer.MAX_VALUE;
    private @Nullable String problem;
    private boolean isClosed;

    Link(RemoteUrl url, Listener listener) {
        this.url = url;
        this.listener = listener;
        this.http = HttpClient.newBuilder()
                .executor(executor)
                .connectTimeout(CONNECT)
                .build();
    }

    private static Thread thread(Runnable run) {
        Thread thread = new Thread(run, "leat-link");
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        connector.start();
    }

    /** A name that no other client has. */
    String client() {
        return client;
    }

    // Calls

    /** Sends a call, and waits for the answer. */
    JsonNode call(Op op, ObjectNode map) {
        PendingCall call = begin(op, map);
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return call.answer.get();
                } catch (InterruptedException e) {
                    isInterrupted = true; // the server is working on the call
                } catch (ExecutionException e) {
                    throw rethrown(e);
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a call without waiting for the answer. */
    PendingCall begin(Op op, ObjectNode map) {
        long number = numbers.incrementAndGet();
        PendingCall call = new PendingCall(
                number, op, Cbor.write(List.of(map.put("id", number).put("op", op.code()))));
        @Nullable Connection free;
        synchronized (this) {
            if (isClosed) {
                throw new ClosedException("The storage at " + url.address());
            }
            free = connection;
            if (call.message.length > largestMessage) {
                throw new InvalidRequestException(
                        "request",
                        "of " + call.message.length + " bytes is over the server's limit of " + largestMessage
                                + "; put less at a time");
            }
            unsent.add(call);
        }
        if (free != null) {
            free.sendOn();
        }
        return call;
    }

    /** Rethrows with this thread's stack trace. */
    private static LeatException rethrown(ExecutionException failure) {
        if (failure.getCause() instanceof LeatException e) {
            e.setStackTrace(Thread.currentThread().getStackTrace());
            return e;
        }
        return new StorageException("The server's answer cannot be read", failure);
    }

    /** The greeting of the server; waits for a connection. */
    Hello hello() {
        long deadline = System.nanoTime() + url.patience().toNanos();
        synchronized (this) {
            while (connection == null && !isClosed) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    throw unreachable();
                }
                try {
                    wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw unreachable();
                }
            }
            if (connection == null) {
                throw new ClosedException("The storage at " + url.address());
            }
            return connection.hello();
        }
    }

    synchronized boolean isConnected() {
        return connection != null;
    }

    /** How often a listener looks by itself, because a notice can be lost. */
    Duration missInterval() {
        return missInterval;
    }

    /** Runs on a thread of the link. */
    void inBackground(Runnable run) {
        executor.execute(run);
    }

    private synchronized StorageException unreachable() {
        return new StorageException("The server at " + url.address() + " cannot be reached"
                + (problem == null ? "." : ": " + problem + "."));
    }

    // The connector's thread

    private void run() {
        int failures = 0;
        while (!isClosed()) {
            try {
                Connection made = connect();
                long began = System.nanoTime();
                made.watch();
                failures = System.nanoTime() - began > LASTING.toNanos() ? 0 : failures + 1;
                pause(failures);
            } catch (InterruptedException e) {
                log.debug("Interrupted: close says whether to go on");
            } catch (RuntimeException | Error e) {
                failures++;
                failed(e, failures);
                pause(failures);
            }
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    private Connection connect() throws InterruptedException {
        Connection attempt = new Connection();
        Hello hello;
        WebSocket.Builder builder = http.newWebSocketBuilder().connectTimeout(CONNECT);
        url.token().ifPresent(token -> builder.header("Authorization", "Bearer " + token));
        try {
            attempt.socket.complete(
                    builder.buildAsync(url.socket(client, version), attempt).get());
            hello = attempt.greeted.get(GREETING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            attempt.end(e);
            throw new StorageException(reason(e), e);
        } catch (TimeoutException e) {
            attempt.end(e);
            throw new StorageException("it accepts connections but does not answer", e);
        } catch (InterruptedException e) {
            attempt.end(e);
            throw e;
        }
        if (!version.equals(hello.version())) {
            log.warn(
                    "The server at {} is of version {}, this client of version {}",
                    url.address(),
                    hello.version(),
                    version);
        }
        synchronized (this) {
            if (isClosed || attempt.isEnded) {
                attempt.socket.join().abort();
                throw new StorageException("the connection was lost");
            }
            if (problem != null) {
                log.info("Connected to the server at {} again", url.address());
            }
            problem = null;
            connection = attempt;
            missInterval = hello.missInterval();
            largestMessage = hello.largestMessage();
            notifyAll();
        }
        attempt.sendOn();
        listener.connected();
        return attempt;
    }

    private static String reason(ExecutionException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        if (cause instanceof WebSocketHandshakeException refused) {
            int status = refused.getResponse().statusCode();
            boolean isAboutToken =
                    status == HttpURLConnection.HTTP_UNAUTHORIZED || status == HttpURLConnection.HTTP_FORBIDDEN;
            return isAboutToken ? "it refuses the token (HTTP " + status + ")" : "it answers HTTP " + status;
        }
        if (cause instanceof ConnectException) {
            boolean isUnknown = cause.getCause() instanceof UnresolvedAddressException;
            return isUnknown ? "its host name is unknown" : "nobody listens there";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private void failed(Throwable e, int failures) {
        List<PendingCall> overdue = new ArrayList<>();
        synchronized (this) {
            if (problem == null) {
                log.warn("The server at {} cannot be reached; trying again: {}", url.address(), e.getMessage());
            }
            problem = String.valueOf(e.getMessage());
            Iterator<PendingCall> waiting = unsent.iterator();
            while (waiting.hasNext()) {
                PendingCall call = waiting.next();
                if (System.nanoTime() - call.waitingSince > url.patience().toNanos()) {
                    waiting.remove();
                    overdue.add(call);
                }
            }
        }
        log.debug("Attempt {} to reach {} failed", failures, url.address(), e);
        overdue.forEach(call -> call.answer.completeExceptionally(
                call.sendings > 0 ? new AnswerLostException(url.address(), call.op.code()) : unreachable()));
    }

    /** Waits longer after each failure, with jitter. */
    private void pause(int failures) {
        if (failures == 0) {
            return;
        }
        long longest = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 20));
        long millis = longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1);
        synchronized (this) {
            try {
                if (!isClosed) {
                    wait(millis);
                }
            } catch (InterruptedException e) {
                log.debug("Interrupted: close says whether to go on");
            }
        }
    }

    /** Keeps the repeatable calls of a lost connection for the next connection. */
    private void lost(Connection gone) {
        List<PendingCall> doubtful = new ArrayList<>();
        synchronized (this) {
            if (connection != gone) {
                return;
            }
            connection = null;
            List<PendingCall> all = new ArrayList<>(sent.values());
            sent.clear();
            for (int i = all.size() - 1; i >= 0; i--) {
                if (all.get(i).op.isRepeatable() && all.get(i).sendings < MOST_SENDINGS) {
                    all.get(i).waitingSince = System.nanoTime();
                    unsent.addFirst(all.get(i));
                } else {
                    doubtful.add(all.get(i));
                }
            }
            if (!isClosed) {
                log.warn("The connection to the server at {} was lost", url.address());
                problem = "the connection was lost";
            }
            notifyAll();
        }
        doubtful.forEach(
                call -> call.answer.completeExceptionally(new AnswerLostException(url.address(), call.op.code())));
    }

    /** One WebSocket. */
    private final class Connection implements WebSocket.Listener {
        final CompletableFuture<WebSocket> socket = new CompletableFuture<>();
        final CompletableFuture<Hello> greeted = new CompletableFuture<>();
        private final ByteArrayOutputStream parts = new ByteArrayOutputStream();
        private volatile long heard = System.nanoTime();
        /** Used by the connector's thread alone. */
        private CompletableFuture<?> lastPing = CompletableFuture.completedFuture(null);

        // Guarded by the link
        private boolean isSending;
        private boolean isEnded;

        /** The greeting; only of an open connection. */
        Hello hello() {
            return greeted.join();
        }

        // Sending

        /** Sends the waiting calls. If a message is on its way, its end sends them. */
        void sendOn() {
            byte[] message;
            synchronized (Link.this) {
                if (isSending || connection != this || unsent.isEmpty()) {
                    return;
                }
                isSending = true;
                message = next();
            }
            socket.join().sendBinary(ByteBuffer.wrap(message), true).whenComplete((done, e) -> {
                synchronized (Link.this) {
                    isSending = false;
                }
                if (e == null) {
                    sendOn();
                } else {
                    end(e);
                }
            });
        }

        private byte[] next() {
            PendingCall first = unsent.remove();
            sent(first);
            if (unsent.isEmpty()) {
                return first.message;
            }
            ByteArrayOutputStream together = new ByteArrayOutputStream();
            together.writeBytes(first.message);
            int most = Math.min(MOST_GATHERED, largestMessage);
            while (!unsent.isEmpty() && together.size() + unsent.peek().message.length <= most) {
                PendingCall call = unsent.remove();
                sent(call);
                together.writeBytes(call.message);
            }
            return together.toByteArray();
        }

        private void sent(PendingCall call) {
            call.sendings++;
            sent.put(call.number, call);
        }

        // Receiving

        @Override
        public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            heard = System.nanoTime();
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            parts.writeBytes(bytes);
            if (last) {
                byte[] message = parts.toByteArray();
                parts.reset();
                try {
                    Cbor.read(message).forEach(this::receive);
                } catch (RuntimeException e) {
                    end(e);
                }
            }
            socket.request(1);
            return null;
        }

        private void receive(JsonNode map) {
            if (map.has("id")) {
                answered(map);
            } else if (map.has(Hello.FIELD)) {
                greeted.complete(Hello.read(map.get(Hello.FIELD)));
            } else {
                notice(map);
            }
        }

        private void answered(JsonNode map) {
            PendingCall call;
            synchronized (Link.this) {
                call = sent.remove(map.get("id").longValue());
            }
            if (call == null) {
                return;
            }
            try {
                if (map.has("error")) {
                    call.answer.completeExceptionally(Errors.error(map.get("error")));
                } else {
                    call.answer.complete(map.path("result"));
                }
            } catch (RuntimeException e) {
                call.answer.completeExceptionally(e);
            }
        }

        /** Ignores unknown notices, because a newer server may send other kinds. */
        private void notice(JsonNode map) {
            try {
                listener.heard(SessionMessages.notice(JsonFields.of("notice", map)));
            } catch (InvalidRequestException e) {
                log.debug("Ignoring an unknown notice: {}", map);
            }
        }

        @Override
        public @Nullable CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            heard = System.nanoTime();
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
            heard = System.nanoTime();
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
            end(new StorageException("closed by the server: " + code + " " + reason));
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            end(error);
        }

        // End

        /** Waits for the end of the connection, and ends a connection whose server is silent for too long. */
        void watch() throws InterruptedException {
            Duration longest = hello().longestSilence();
            while (true) {
                boolean isAnybodyWaiting;
                synchronized (Link.this) {
                    if (connection != this) {
                        return;
                    }
                    Link.this.wait(LOOK_MILLIS);
                    isAnybodyWaiting = !sent.isEmpty();
                }
                long silence = System.nanoTime() - heard;
                if (silence > longest.toNanos()) {
                    end(new StorageException("the server was silent for " + longest));
                } else if (silence > (isAnybodyWaiting ? UNEASY : hello().heartbeat()).toNanos()) {
                    ping();
                }
            }
        }

        /** The JDK does not always report that the server has closed the connection; sending does. */
        private void ping() {
            if (lastPing.isDone()) {
                lastPing = socket.join().sendPing(ByteBuffer.allocate(0)).whenComplete((done, e) -> {
                    if (e != null) {
                        end(e);
                    }
                });
            }
        }

        private void end(Throwable why) {
            synchronized (Link.this) {
                isEnded = true;
            }
            log.debug("A connection to {} has ended", url.address(), why);
            greeted.completeExceptionally(why);
            socket.thenAccept(WebSocket::abort);
            lost(this);
        }
    }

    @Override
    public void close() {
        List<PendingCall> left = new ArrayList<>();
        @Nullable Connection last;
        synchronized (this) {
            isClosed = true;
            left.addAll(sent.values());
            left.addAll(unsent);
            sent.clear();
            unsent.clear();
            last = connection;
            connection = null;
            notifyAll();
        }
        left.forEach(call -> call.answer.completeExceptionally(new ClosedException("The storage at " + url.address())));
        if (last != null) {
            WebSocket socket = last.socket.join();
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").whenComplete((done, e) -> socket.abort());
        }
        connector.interrupt();
        executor.shutdown();
    }
}
