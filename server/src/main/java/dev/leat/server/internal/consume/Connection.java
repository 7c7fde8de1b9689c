package dev.leat.server.internal.consume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.error.AccessDeniedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.json.JsonFields;
import dev.leat.server.internal.limits.StorageThreads;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.TaskStatus;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.SessionMessages;
import dev.leat.wire.TaskMessages;
import dev.leat.wire.TaskStatusMessages;
import dev.leat.wire.WatchedTasks;
import dev.leat.wire.WireValues;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
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
 * The server's end of one WebSocket. Storage threads process its messages, several at a time and in any order. The connection's event loop
 * sends the answers.
 */
final class Connection {
    private static final Logger log = LoggerFactory.getLogger(Connection.class);
    /** With more unfinished messages or bytes than this, the connection stops reading. */
    private static final int MOST_MESSAGES = 64;

    private static final long MOST_BYTES = 16 << 20;

    private static final int MOST_WAITING_TAKES = 10_000;
    /** With this many answers to one message, the connection sends them before it goes on. */
    private static final int MOST_ANSWERS = 64;

    private static final int MOST_LOCKS = 1_000;
    /** The WebSocket protocol allows 123 bytes of UTF-8. */
    private static final int LONGEST_REASON = 40;

    private final Sockets sockets;
    private final ServerWebSocket socket;
    private final Context context;
    private final Set<CompletableFuture<List<TakenTask>>> waitingTakes = ConcurrentHashMap.newKeySet();
    private final Map<Long, Lock.Held> locks = new ConcurrentHashMap<>();
    /** The tasks that the client waits for and has not had a notice of. */
    private final WatchedTasks awaited = new WatchedTasks();
    /** Notices to send when the socket has space; guarded by itself. */
    private final Set<Notice> unsentNotices = new LinkedHashSet<>();

    private volatile boolean isOpen;
    private volatile boolean isClosed;
    private final boolean isListening;
    private final Caller caller;
    private final Permits permits;
    private volatile long lastHeard = System.nanoTime();
    // On the event loop only
    private int unfinished;
    private long unfinishedBytes;
    private boolean isPaused;
    private final List<Runnable> whenIdle = new ArrayList<>();

    /** @param isListening whether the client wants all notices of the storage, not only those for its sessions */
    Connection(Sockets sockets, ServerWebSocket socket, Context context, boolean isListening, Caller caller) {
        this.isListening = isListening;
        this.caller = caller;
        this.permits = new Permits(caller.grant(), sockets.storage());
        this.sockets = sockets;
        this.socket = socket;
        this.context = context;
    }

    /** Watches for the end of the connection until {@link #open}; on the event loop. */
    void prepare(Runnable whenClosed) {
        socket.pause().closeHandler(closed -> {
            whenClosed.run();
            end();
        });
    }

    /** Starts to read; on the event loop. */
    void open(ObjectNode hello) {
        if (isGone()) {
            return;
        }
        socket.binaryMessageHandler(this::receive)
                .textMessageHandler(text -> refuse("must be binary, was text"))
                .pongHandler(pong -> lastHeard = System.nanoTime())
                .exceptionHandler(e -> log.debug("A connection of {} failed", socket.remoteAddress(), e))
                .drainHandler(drained -> {
                    readOn();
                    sendNotices();
                })
                .resume();
        write(List.of(hello));
        isOpen = true;
    }

    // Reading, on the event loop

    private void receive(Buffer message) {
        if (sockets.isStopping()) {
            return; // the server is stopping and reads no more messages
        }
        lastHeard = System.nanoTime();
        unfinished++;
        unfinishedBytes += message.length();
        offer(message.getBytes());
        readOn();
    }

    /** Retries later while the queue of the storage threads is full. */
    private void offer(byte[] message) {
        if (isClosed) {
            finished(message.length);
        } else if (!sockets.threads().offer(() -> process(message))) {
            sockets.later(() -> context.runOnContext(unused -> offer(message)));
        }
    }

    /** Pauses or resumes reading, by the number of unfinished messages and unsent bytes. */
    private void readOn() {
        if (isGone()) {
            return;
        }
        boolean isTooMuch = unfinished >= MOST_MESSAGES || unfinishedBytes >= MOST_BYTES || socket.writeQueueFull();
        if (isTooMuch && !isPaused) {
            isPaused = true;
            socket.pause();
        } else if (!isTooMuch && isPaused) {
            isPaused = false;
            lastHeard = System.nanoTime(); // a paused socket delivers no pongs
            socket.resume();
        }
    }

    private void finished(int bytes) {
        context.runOnContext(unused -> {
            unfinished--;
            unfinishedBytes -= bytes;
            readOn();
            runIfIdle();
        });
    }

    private void runIfIdle() {
        if ((isClosed || sockets.isStopping()) && unfinished == 0 && waitingTakes.isEmpty()) {
            whenIdle.forEach(Runnable::run);
            whenIdle.clear();
        }
    }

    /** Closes the connection, and runs {@code next} when all its messages are finished. */
    void replaceBy(Runnable next) {
        context.runOnContext(unused -> {
            whenIdle.add(next);
            closeNow((short) 1001, "the client has a newer connection");
            end();
            runIfIdle();
        });
    }

    /** Closes the connection: a malformed message has no number to answer. On the event loop. */
    private void refuse(String why) {
        closeNow((short) 1003, "A message " + why);
    }

    // Processing, on a storage thread

    private void process(byte[] message) {
        StorageThreads.check();
        List<ObjectNode> answers = new ArrayList<>();
        try {
            RequestBatch batch = new RequestBatch(sockets.storage(), permits, caller);
            List<Runnable> others = new ArrayList<>();
            for (JsonNode map : Cbor.read(message)) {
                Request request = Request.read(map);
                if (!batch.add(request)) {
                    others.add(() -> answer(request).ifPresent(answers::add));
                }
            }
            answers.addAll(batch.run());
            for (Runnable other : others) {
                other.run();
                if (answers.size() >= MOST_ANSWERS) {
                    send(List.copyOf(answers));
                    answers.clear();
                }
            }
            send(answers);
        } catch (InvalidRequestException e) {
            context.runOnContext(unused -> refuse(e.problem()));
        } catch (RuntimeException | Error e) {
            log.error("Could not process a message", e);
            close((short) 1011, "the server failed");
        } finally {
            finished(message.length);
        }
    }

    /** The answer, if there is one now; a take sends its own answer when it has tasks or its wait is over. */
    private Optional<ObjectNode> answer(Request request) {
        try {
            permits.check(request.op(), request.fields());
            Optional<JsonNode> result = perform(request.number(), request.op(), request.fields());
            caller.did(request.named(), Optional.empty());
            return result.map(value -> RequestAnswers.result(request.number(), value));
        } catch (RuntimeException | Error e) {
            caller.did(request.named(), Optional.of(e));
            return Optional.of(RequestAnswers.error(request.number(), e));
        }
    }

    private Optional<JsonNode> perform(long number, Op op, JsonFields fields) {
        switch (op) {
            case TAKE -> {
                return take(number, fields);
            }
            case NOTIFY -> {
                Notice notice = SessionMessages.notice(fields);
                fields.end();
                sockets.storage().signal().send(notice);
                return Optional.of(JsonNodeFactory.instance.nullNode());
            }
            case STANDINGS -> {
                return Optional.of(statuses(fields));
            }
            case ACQUIRE, RENEW, UNLOCK -> {
                return Optional.of(lock(op, fields));
            }
            case OPEN_SESSION -> {
                JsonNode session = sockets.operations().run(op, fields);
                attach(session.textValue());
                return Optional.of(session);
            }
            case HEARTBEAT -> {
                // Before the heartbeat: the end of an older connection must not end the session just after it.
                Optional<String> session = fields.text("session");
                session.ifPresent(this::attach);
                JsonNode reply = sockets.operations().run(op, fields);
                if (!SessionMessages.heartbeatReply(reply).alive()) {
                    session.ifPresent(sockets::detach);
                }
                return Optional.of(reply);
            }
            case CLOSE_SESSION -> {
                Optional<String> session = fields.text("session");
                JsonNode events = sockets.operations().run(op, fields);
                session.ifPresent(sockets::detach);
                return Optional.of(events);
            }
            default -> {
                return Optional.of(permits.visible(op, sockets.operations().run(op, fields)));
            }
        }
    }

    /** From now on, the end of this connection can disconnect the session. */
    private void attach(String session) {
        sockets.attach(session, this);
        if (isClosed) {
            sockets.ended(this);
        }
    }

    // Takes

    private Optional<JsonNode> take(long number, JsonFields fields) {
        TakeRequest request = TaskMessages.takeRequest(fields);
        Optional<Duration> wait = fields.duration("wait");
        fields.end();
        if (wait.isEmpty()) {
            List<TakenTask> taken = sockets.storage().take(request);
            request.session().ifPresent(this::attach);
            sendTasks(number, taken);
            return Optional.empty();
        }
        if (waitingTakes.size() >= MOST_WAITING_TAKES) {
            throw new InvalidRequestException("wait", "at most " + MOST_WAITING_TAKES + " takes may wait at a time");
        }
        CompletableFuture<List<TakenTask>> tasks = sockets.waitFor(request, wait.get());
        waitingTakes.add(tasks);
        if (isClosed || sockets.isStopping()) {
            tasks.cancel(true);
        }
        tasks.whenComplete((taken, e) -> {
            Runnable answer = () -> {
                answer(number, tasks, taken, e);
                context.runOnContext(unused -> {
                    waitingTakes.remove(tasks);
                    runIfIdle();
                });
            };
            boolean isLong = e == null && !taken.isEmpty();
            if (!isLong || !sockets.threads().offer(answer)) {
                answer.run();
            }
        });
        return Optional.empty();
    }

    private void answer(
            long number,
            CompletableFuture<List<TakenTask>> take,
            @Nullable List<TakenTask> taken,
            @Nullable Throwable e) {
        if (take.isCancelled()) {
            sendTasks(number, List.of());
        } else if (e != null) {
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            send(List.of(RequestAnswers.error(number, cause)));
        } else if (taken != null) {
            sendTasks(number, taken);
        }
    }

    /** Gives the tasks back if they cannot be sent. */
    private void sendTasks(long number, List<TakenTask> tasks) {
        byte[] bytes;
        try {
            bytes = Cbor.write(List.of(RequestAnswers.result(number, WireValues.list(tasks, TaskMessages::of))));
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Could not send the tasks {}; gives them back",
                    tasks.stream().map(TakenTask::id).toList(),
                    e);
            giveBack(tasks);
            send(List.of(RequestAnswers.error(number, e)));
            return;
        }
        context.runOnContext(unused -> write(bytes).onFailure(e -> giveBack(tasks)));
    }

    private void giveBack(List<TakenTask> tasks) {
        if (tasks.isEmpty()) {
            return;
        }
        sockets.soon(() -> sockets.storage()
                .settle(tasks.stream()
                        .<Settle>map(task -> Settle.giveBack(task.lease()))
                        .toList()));
    }

    // Awaited tasks

    private JsonNode statuses(JsonFields fields) {
        Set<Long> tasks = TaskStatusMessages.taskIds(fields);
        fields.end();
        if (tasks.size() > WatchedTasks.MOST) {
            throw new InvalidRequestException(
                    "tasks", "must be at most " + WatchedTasks.MOST + ", were " + tasks.size());
        }
        awaited.add(tasks); // before the look, so that no notice is missed in between
        Map<Long, TaskStatus> statuses = sockets.storage().statuses(tasks);
        statuses.forEach((task, status) -> {
            if (!(status instanceof TaskStatus.Lives)) {
                awaited.remove(task);
            }
        });
        try {
            permits.checkStatuses(statuses.values());
        } catch (AccessDeniedException e) {
            tasks.forEach(awaited::remove);
            throw e;
        }
        return TaskStatusMessages.of(statuses);
    }

    // Locks

    private JsonNode lock(Op op, JsonFields fields) {
        if (op == Op.ACQUIRE) {
            String name = WireValues.text(fields, "name");
            Duration lease = WireValues.need("lease", fields.duration("lease"));
            fields.end();
            return WireValues.orNull(acquire(name, lease), JsonNodeFactory.instance::numberNode);
        }
        long number = WireValues.need("lock", fields.number("lock"));
        fields.end();
        Lock.Held held = op == Op.RENEW ? locks.get(number) : locks.remove(number);
        boolean isHeld = held != null;
        if (held != null && op == Op.RENEW) {
            isHeld = held.renew();
        } else if (held != null) {
            held.close();
        }
        return JsonNodeFactory.instance.booleanNode(isHeld);
    }

    private Optional<Long> acquire(String name, Duration lease) {
        if (locks.size() >= MOST_LOCKS) {
            throw new InvalidRequestException("name", "a connection has at most " + MOST_LOCKS + " locks");
        }
        // The prefix keeps clients away from the storage's own locks.
        return sockets.storage().lock().tryAcquire("client " + name, lease).map(held -> {
            long number = sockets.lockNumber();
            locks.put(number, held);
            if (isClosed) {
                freeLocks();
            }
            return number;
        });
    }

    private void freeLocks() {
        for (Long number : List.copyOf(locks.keySet())) {
            Lock.Held held = locks.remove(number);
            if (held != null) {
                try {
                    held.close();
                } catch (LeatException e) {
                    log.warn(
                            "Could not release a lock of a closed connection, which now ends with its lease: {}",
                            e.getMessage());
                }
            }
        }
    }

    // Sending

    private void send(List<ObjectNode> answers) {
        if (!answers.isEmpty()) {
            byte[] bytes = Cbor.write(answers);
            context.runOnContext(unused -> write(bytes));
        }
    }

    private void write(List<ObjectNode> maps) {
        Future<Void> unused = write(Cbor.write(maps));
    }

    /** On the event loop. */
    private Future<Void> write(byte[] bytes) {
        if (isGone()) {
            return Future.failedFuture("the connection is closed");
        }
        Future<Void> written = socket.writeBinaryMessage(Buffer.buffer(bytes));
        readOn();
        return written;
    }

    /** Whether the connection can send no more; on the event loop. */
    private boolean isGone() {
        return isClosed || socket.isClosed();
    }

    /** Sends a notice soon. Equal notices that wait to be sent become one. */
    void enqueue(Notice notice) {
        boolean isWanted = notice instanceof Notice.TaskNews news
                ? awaited.remove(news.taskId())
                : isListening || notice instanceof Notice.SessionNews;
        if (!isWanted || !isOpen || !permits.maySee(notice)) {
            return;
        }
        boolean isFirst;
        synchronized (unsentNotices) {
            isFirst = unsentNotices.isEmpty();
            unsentNotices.add(notice);
        }
        if (isFirst) {
            context.runOnContext(unused -> sendNotices());
        }
    }

    private void sendNotices() {
        if (isGone() || socket.writeQueueFull()) {
            return;
        }
        List<Notice> notices;
        synchronized (unsentNotices) {
            notices = List.copyOf(unsentNotices);
            unsentNotices.clear();
        }
        if (!notices.isEmpty()) {
            write(notices.stream()
                    .map(notice -> {
                        ObjectNode map = Cbor.map();
                        SessionMessages.put(map, notice);
                        return map;
                    })
                    .toList());
        }
    }

    // Its end

    /** Pings the client, or closes a silent connection; on any thread. */
    void ping(Duration longestSilence) {
        boolean isSilent = System.nanoTime() - lastHeard > longestSilence.toNanos();
        context.runOnContext(unused -> {
            if (!caller.isStillKnown()) {
                closeNow((short) 1008, "the token is no longer valid");
            } else if (isSilent && !isPaused) {
                log.info(
                        "Closes the connection of {}, which was silent for more than {}",
                        socket.remoteAddress(),
                        longestSilence);
                closeNow((short) 1001, "silent for too long");
                end(); // a silent client does not answer the close
            } else if (!isGone()) {
                Future<Void> sent = socket.writePing(Buffer.buffer());
            }
        });
    }

    /** Announces the stop and ends all waiting takes; completes when all read messages are answered. */
    CompletableFuture<Void> announceStop() {
        waitingTakes.forEach(tasks -> tasks.cancel(true));
        CompletableFuture<Void> answered = new CompletableFuture<>();
        context.runOnContext(unused -> {
            write(List.of(Cbor.map().put("notice", "stopping")));
            whenIdle.add(() -> answered.complete(null));
            runIfIdle();
        });
        return answered;
    }

    /** From any thread. */
    void close(short code, String why) {
        context.runOnContext(unused -> closeNow(code, why));
    }

    /** On the event loop. */
    private void closeNow(short code, String why) {
        if (!isGone()) {
            Future<Void> sent = socket.close(code, why.substring(0, Math.min(why.length(), LONGEST_REASON)));
        }
    }

    /** Frees what the connection holds, also after a connection loss; on the event loop. */
    private void end() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        waitingTakes.forEach(tasks -> tasks.cancel(true));
        unfinished++;
        sockets.soon(() -> {
            try {
                freeLocks();
                sockets.ended(this);
            } finally {
                finished(0);
            }
        });
    }

    @Override
    public String toString() {
        return "Connection[" + socket.remoteAddress() + "]";
    }
}
