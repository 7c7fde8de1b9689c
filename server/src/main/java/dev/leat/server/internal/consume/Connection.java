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
import dev.leat.wire.Values;
import dev.leat.wire.WatchedTasks;
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
 * One WebSocket. Its messages are worked on by storage threads, several at a time and in any order; what it answers is sent on the
 * connection's event loop.
 */
final class Connection {
    private static final Logger log = LoggerFactory.getLogger(Connection.class);
    /** What may be read before it is worked on; beyond, the connection is not read from. */
    private static final int MOST_MESSAGES = 64;

    private static final long MOST_BYTES = 16 << 20;

    private static final int MOST_WAITING_TAKES = 10_000;
    /** What one message asked for is not gathered beyond this. */
    private static final int MOST_ANSWERS = 64;

    private static final int MOST_LOCKS = 1_000;
    /** The protocol has 123 bytes for it. */
    private static final int LONGEST_REASON = 40;

    private final Sockets sockets;
    private final ServerWebSocket socket;
    private final Context context;
    private final Set<CompletableFuture<List<TakenTask>>> waitingTakes = ConcurrentHashMap.newKeySet();
    private final Map<Long, Lock.Held> locks = new ConcurrentHashMap<>();
    /** The tasks that it has asked for and of which it is not told yet. */
    private final WatchedTasks awaited = new WatchedTasks();
    /** Guarded by itself: what is to be told as soon as the socket can take it. */
    private final Set<Notice> untold = new LinkedHashSet<>();

    private volatile boolean isOpen;
    private volatile boolean isClosed;
    private final boolean isListening;
    private final Caller caller;
    private final Permits permits;
    private volatile long heard = System.nanoTime();
    // On the event loop only
    private int unfinished;
    private long unfinishedBytes;
    private boolean isPaused;
    private final List<Runnable> whenIdle = new ArrayList<>();

    /** @param isListening whether it wants all of the storage's notices, not only those for its sessions */
    Connection(Sockets sockets, ServerWebSocket socket, Context context, boolean isListening, Caller caller) {
        this.isListening = isListening;
        this.caller = caller;
        this.permits = new Permits(caller.grant(), sockets.storage());
        this.sockets = sockets;
        this.socket = socket;
        this.context = context;
    }

    /** Waits for {@link #open}, and notices its end meanwhile; on the event loop. */
    void prepare(Runnable whenClosed) {
        socket.pause().closeHandler(closed -> {
            whenClosed.run();
            end();
        });
    }

    /** Begins to read; on the event loop. */
    void open(ObjectNode hello) {
        if (isGone()) {
            return;
        }
        socket.binaryMessageHandler(this::receive)
                .textMessageHandler(text -> refuse("must be binary, was text"))
                .pongHandler(pong -> heard = System.nanoTime())
                .exceptionHandler(e -> log.debug("A connection of {} failed", socket.remoteAddress(), e))
                .drainHandler(drained -> {
                    readOn();
                    tell();
                })
                .resume();
        write(List.of(hello));
        isOpen = true;
    }

    // Reading, on the event loop

    private void receive(Buffer message) {
        if (sockets.isStopping()) {
            return; // as if it had come a little later, when nobody reads any more
        }
        heard = System.nanoTime();
        unfinished++;
        unfinishedBytes += message.length();
        offer(message.getBytes());
        readOn();
    }

    /** Full storage threads hold the connection up, and are asked again. */
    private void offer(byte[] message) {
        if (isClosed) {
            finished(message.length);
        } else if (!sockets.threads().offer(() -> work(message))) {
            sockets.later(() -> context.runOnContext(unused -> offer(message)));
        }
    }

    /** Stops or goes on reading, by how much of what was read is unfinished or unsent. */
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
            heard = System.nanoTime(); // it could not be heard meanwhile
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

    /** Closes the connection; then, when nothing that came by it is worked on any more, runs what is given. */
    void replaceBy(Runnable next) {
        context.runOnContext(unused -> {
            whenIdle.add(next);
            closeNow((short) 1001, "the client has a newer connection");
            end();
            runIfIdle();
        });
    }

    /** On the event loop: what cannot be understood cannot be answered either. */
    private void refuse(String why) {
        closeNow((short) 1003, "A message " + why);
    }

    // Working, on a storage thread

    private void work(byte[] message) {
        StorageThreads.check();
        List<ObjectNode> answers = new ArrayList<>();
        try {
            RequestBatch together = new RequestBatch(sockets.storage(), permits, caller);
            List<Runnable> others = new ArrayList<>();
            for (JsonNode map : Cbor.read(message)) {
                Request request = Request.read(map);
                if (!together.add(request)) {
                    others.add(() -> answer(request).ifPresent(answers::add));
                }
            }
            answers.addAll(together.run());
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
            log.error("A message could not be worked on", e);
            close((short) 1011, "the server made a mistake");
        } finally {
            finished(message.length);
        }
    }

    /** What is to be answered now; a take is answered by itself, as soon as it has something or need not wait any longer. */
    private Optional<ObjectNode> answer(Request request) {
        try {
            permits.check(request.op(), request.fields());
            Optional<JsonNode> result = perform(request.number(), request.op(), request.fields());
            caller.did(request.named(), Optional.empty());
            return result.map(value -> Answers.result(request.number(), value));
        } catch (RuntimeException | Error e) {
            caller.did(request.named(), Optional.of(e));
            return Optional.of(Answers.error(request.number(), e));
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
                return Optional.of(standings(fields));
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
                // Before, lest the end of an older connection ends the session just after.
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

    /** From now on the end of this connection may be the end of the session. */
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
            send(List.of(Answers.error(number, cause)));
        } else if (taken != null) {
            sendTasks(number, taken);
        }
    }

    /** Whoever does not get what was taken for him leaves it to others. */
    private void sendTasks(long number, List<TakenTask> tasks) {
        byte[] bytes;
        try {
            bytes = Cbor.write(List.of(Answers.result(number, Values.list(tasks, TaskMessages::of))));
        } catch (RuntimeException | Error e) {
            log.warn(
                    "The tasks {} cannot be sent, and go back",
                    tasks.stream().map(TakenTask::id).toList(),
                    e);
            giveBack(tasks);
            send(List.of(Answers.error(number, e)));
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

    // Tasks that are waited for

    private JsonNode standings(JsonFields fields) {
        Set<Long> tasks = TaskStatusMessages.taskIds(fields);
        fields.end();
        if (tasks.size() > WatchedTasks.MOST) {
            throw new InvalidRequestException(
                    "tasks", "must be at most " + WatchedTasks.MOST + ", were " + tasks.size());
        }
        awaited.add(tasks); // before it looks, so that nothing is missed in between
        Map<Long, TaskStatus> standings = sockets.storage().statuses(tasks);
        standings.forEach((task, standing) -> {
            if (!(standing instanceof TaskStatus.Lives)) {
                awaited.remove(task);
            }
        });
        try {
            permits.checkStandings(standings.values());
        } catch (AccessDeniedException e) {
            tasks.forEach(awaited::remove);
            throw e;
        }
        return TaskStatusMessages.of(standings);
    }

    // Locks

    private JsonNode lock(Op op, JsonFields fields) {
        if (op == Op.ACQUIRE) {
            String name = Values.text(fields, "name");
            Duration lease = Values.need("lease", fields.duration("lease"));
            fields.end();
            return Values.orNull(acquire(name, lease), JsonNodeFactory.instance::numberNode);
        }
        long number = Values.need("lock", fields.number("lock"));
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
        // The storage has locks of its own, which are not for clients.
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
                    log.warn("A lock of a closed connection ends only with its lease: {}", e.getMessage());
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

    /** Whether nothing can be sent; on the event loop. */
    private boolean isGone() {
        return isClosed || socket.isClosed();
    }

    /** Tells it soon, once, however often it is said before the connection can be told. */
    void tell(Notice notice) {
        boolean isWanted = notice instanceof Notice.TaskNews news
                ? awaited.remove(news.taskId())
                : isListening || notice instanceof Notice.SessionNews;
        if (!isWanted || !isOpen || !permits.mayHear(notice)) {
            return;
        }
        boolean isFirst;
        synchronized (untold) {
            isFirst = untold.isEmpty();
            untold.add(notice);
        }
        if (isFirst) {
            context.runOnContext(unused -> tell());
        }
    }

    private void tell() {
        if (isGone() || socket.writeQueueFull()) {
            return;
        }
        List<Notice> notices;
        synchronized (untold) {
            notices = List.copyOf(untold);
            untold.clear();
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

    /** Asks whether somebody is there, or gives up; on any thread. */
    void ping(Duration longestSilence) {
        boolean isSilent = System.nanoTime() - heard > longestSilence.toNanos();
        context.runOnContext(unused -> {
            if (!caller.isStillKnown()) {
                closeNow((short) 1008, "the token is no longer good");
            } else if (isSilent && !isPaused) {
                log.info(
                        "{} was silent for more than {}; its connection is closed",
                        socket.remoteAddress(),
                        longestSilence);
                closeNow((short) 1001, "silent for too long");
                end(); // nobody is there to answer the close
            } else if (!isGone()) {
                Future<Void> sent = socket.writePing(Buffer.buffer());
            }
        });
    }

    /** Says that the server stops, and lets nobody wait for tasks any more; answers when all that was read is answered. */
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

    /** On the event loop: also when the other end is gone without a word. */
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
