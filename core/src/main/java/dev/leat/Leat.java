package dev.leat;

import dev.leat.error.AddressInUseException;
import dev.leat.error.ClosedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.PayloadException;
import dev.leat.error.QueueFullException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.error.SessionEndedException;
import dev.leat.internal.Checks;
import dev.leat.internal.Codecs;
import dev.leat.internal.Events;
import dev.leat.internal.InWords;
import dev.leat.internal.ShutdownHook;
import dev.leat.internal.leading.LeadershipSetup;
import dev.leat.internal.waiting.Answers;
import dev.leat.internal.waiting.Awaiter;
import dev.leat.internal.waiting.Contact;
import dev.leat.internal.waiting.Dispatcher;
import dev.leat.internal.waiting.Heartbeat;
import dev.leat.internal.waiting.Loop;
import dev.leat.internal.waiting.Sweeper;
import dev.leat.internal.worker.WorkerHost;
import dev.leat.internal.worker.WorkerSetup;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueStats;
import dev.leat.storage.CallerTransaction;
import dev.leat.storage.GroupPut;
import dev.leat.storage.Storage;
import dev.leat.storage.StorageSettings;
import dev.leat.storage.Storages;
import dev.leat.worker.StopReport;
import dev.leat.worker.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry point of Leat, open on one storage: puts, takes and settles tasks, operates queues, and starts workers.
 *
 * <pre>{@code
 * try (Leat leat = Leat.open("memory:")) {
 *     leat.put("emails", "ada@example.org");
 *     Worker worker = leat.worker().handle("emails", String.class, (address, task) -> send(address)).start();
 *     worker.join(); // until Ctrl-C
 * }
 * }</pre>
 *
 * <p>One Leat is one session with its own heartbeat. When the Leat is closed or its process dies, its taken tasks go back to their queues.
 * Thread-safe: make one and share it. {@link #close()} stops the workers first; a shutdown hook calls it, see {@link Builder#shutdownHook}.
 */
public final class Leat implements Producer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Leat.class);
    /** For the Leat's own calls, such as give-backs, of which listeners are not notified. */
    private final Storage undecorated;

    private final Storage storage;
    private final Codecs codecs;
    private final AutoCreate autoCreate;
    private final UnaryOperator<NewTask> beforePut;
    private final Events events = new Events();
    private final Dispatcher dispatcher;
    private final Awaiter awaiter;
    private final Outcomes outcomes;
    private final Heartbeat heartbeat;
    private final Sweeper sweeper;
    private final Duration stopWithin;
    private final ShutdownHook shutdownHook;
    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final List<Leadership> leaderships = new CopyOnWriteArrayList<>();
    private final Queue.WaitingConsumers waitingConsumers = new Queue.WaitingConsumers() {
        @Override
        public int count(String queue) {
            return dispatcher.waiting().getOrDefault(queue, 0);
        }

        @Override
        public void report() {
            heartbeat.beatNow();
        }
    };
    private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>();
    private final CountDownLatch allClosed = new CountDownLatch(1);
    private volatile boolean closed;

    /** What a put into a missing queue does. */
    public enum AutoCreate {
        /** The put makes the queue with standard options. */
        ON,
        /** The put throws {@link QueueNotFoundException}. */
        OFF
    }

    private Leat(Builder b, Storage undecorated) {
        this.undecorated = undecorated;
        this.storage = events.around(undecorated);
        this.codecs = new Codecs(b.codecs);
        this.autoCreate = b.autoCreate;
        this.beforePut = b.beforePut;
        this.stopWithin = b.stopWithin;
        this.shutdownHook = b.shutdownHook ? ShutdownHook.closingWith(this::close) : ShutdownHook.none();
        Contact contact = new Contact(b.deadAfter.dividedBy(2));
        this.dispatcher = new Dispatcher(undecorated, this::takeNow);
        this.awaiter = new Awaiter(undecorated);
        this.outcomes = new Outcomes(storage, awaiter, this::checkOpen);
        SessionSpec session = SessionSpec.named(b.name).deadAfter(b.deadAfter).grace(b.grace);
        this.heartbeat = new Heartbeat(undecorated, session, b.heartbeat, contact, dispatcher::waiting);
        this.sweeper = new Sweeper(storage, contact, b.deadAfter, b.heartbeat);
    }

    /** Opens {@code memory:}, or the URL of another storage on the class path. */
    public static Leat open(String url) {
        return builder(url).open();
    }

    public static Builder builder(String url) {
        return new Builder(settings -> Storages.open(url, settings));
    }

    /** Opens the database of a data source, such as Spring's; needs {@code leat-sql}. */
    public static Leat open(DataSource source) {
        return builder(source, DatabaseOptions.standard()).open();
    }

    public static Builder builder(DataSource source, DatabaseOptions options) {
        return new Builder(settings -> Storages.open(source, options, settings));
    }

    // Put

    @Override
    public Payload encode(Object value) {
        return codecs.encode(value);
    }

    /** Reads a payload as {@code type}, or throws {@link PayloadException}. */
    public <T> T decode(Payload payload, Class<T> type) {
        return codecs.decode(payload, type);
    }

    @Override
    public List<PutResult> putAll(List<NewTask> given) {
        List<NewTask> tasks = given.stream().map(beforePut).toList();
        return putInto(tasks, storage::put);
    }

    private List<PutResult> putInto(List<NewTask> tasks, Function<List<NewTask>, List<PutResult>> target) {
        return withQueues(tasks.stream(), () -> target.apply(tasks));
    }

    /** Puts, and puts again after making missing queues. */
    private <T> T withQueues(Stream<NewTask> tasks, Supplier<T> put) {
        try {
            return put.get();
        } catch (QueueNotFoundException e) {
            tasks.map(NewTask::queue).distinct().forEach(queue -> queue(queue).ensure());
            return put.get();
        }
    }

    @Override
    public Workflow workflow(String name) {
        return new Workflow(name, this::putGroup, this::group);
    }

    private GroupPut putGroup(GroupSpec spec, List<NewTask> given) {
        List<NewTask> tasks = given.stream().map(beforePut).toList();
        return putGroup(spec, tasks, storage.groups()::put);
    }

    private GroupPut putGroup(GroupSpec spec, List<NewTask> tasks, Workflow.Starter target) {
        Stream<NewTask> closing = Stream.of(spec.end(), spec.abort()).flatMap(Optional::stream);
        return withQueues(Stream.concat(tasks.stream(), closing), () -> target.start(spec, tasks));
    }

    /** Puts a task. Waits up to {@code timeout} for space in a full queue, then throws {@link QueueFullException}. */
    public PutResult put(NewTask task, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + Loop.clampedNanos(timeout);
        while (true) {
            long seen = dispatcher.notices(task.queue());
            try {
                return put(task);
            } catch (QueueFullException e) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw e;
                }
                dispatcher.awaitNotice(task.queue(), seen, left);
                checkOpen();
            }
        }
    }

    /**
     * Returns a producer that puts in the connection's transaction: its puts take effect when the caller commits. Leat neither commits nor rolls
     * back, and task listeners do not receive these puts.
     */
    public Producer with(Connection connection) {
        CallerTransaction transaction = storage.with(connection);
        return new Producer() {
            @Override
            public List<PutResult> putAll(List<NewTask> tasks) {
                return putInto(tasks.stream().map(beforePut).toList(), transaction::put);
            }

            @Override
            public Workflow workflow(String name) {
                return new Workflow(
                        name,
                        (spec, tasks) ->
                                putGroup(spec, tasks.stream().map(beforePut).toList(), transaction::putGroup),
                        Leat.this::group);
            }

            @Override
            public Payload encode(Object value) {
                return codecs.encode(value);
            }
        };
    }

    // Take and settle

    /** Takes one task of the queue without waiting. */
    public Optional<TakenTask> take(String queue) {
        return takeNow(TakeRequest.from(queue)).stream().findFirst();
    }

    /** Takes tasks without waiting. */
    public List<TakenTask> take(TakeRequest request) {
        return takeNow(request);
    }

    /**
     * Takes tasks, and waits up to {@code timeout} for the first one. A missing queue counts as empty: the take waits until a put makes the
     * queue, and the log warns once.
     */
    public List<TakenTask> take(TakeRequest request, Duration timeout) throws InterruptedException {
        CompletableFuture<List<TakenTask>> answer = takeAsync(List.of(request), timeout);
        try {
            return Answers.get(answer);
        } catch (InterruptedException e) {
            giveBackLate(answer);
            throw e;
        }
    }

    private void giveBackLate(CompletableFuture<List<TakenTask>> answer) {
        if (!answer.isCancelled() && !answer.isCompletedExceptionally()) {
            dispatcher.giveBack(answer.join());
        }
    }

    /**
     * Takes from the first of the queues that has tasks. The future completes with these tasks, or with an empty list after {@code timeout}.
     * Missing queues count as empty. Cancel the future to stop waiting. No thread waits; code attached to the future runs on the thread that
     * serves all waiting takes, so hand longer work to another thread.
     */
    public CompletableFuture<List<TakenTask>> takeAsync(List<TakeRequest> requests, Duration timeout) {
        checkOpen();
        if (!timeout.isZero() && requests.stream().anyMatch(Leat::isOutsideOfSession)) {
            openSession(); // its heartbeat reports the waiting take to the storage
        }
        return dispatcher.take(requests, timeout);
    }

    private static boolean isOutsideOfSession(TakeRequest request) {
        return request.isDetached() || request.session().isPresent();
    }

    private List<TakenTask> takeNow(TakeRequest request) {
        checkOpen();
        return isOutsideOfSession(request) ? storage.take(request) : takeInSessionOfLeat(request);
    }

    private List<TakenTask> takeInSessionOfLeat(TakeRequest request) {
        String session = openSession();
        try {
            return storage.take(request.session(session));
        } catch (SessionEndedException e) {
            heartbeat.ended(session);
            return storage.take(request.session(openSession()));
        }
    }

    private String openSession() {
        shutdownHook.register();
        return heartbeat.session();
    }

    /** Ends deliveries. Each result shows whether the lease was still held. */
    public List<SettleResult> settle(List<? extends Settle> settles) {
        return storage.settle(List.copyOf(settles));
    }

    public SettleResult settle(Settle settle) {
        return settle(List.of(settle)).get(0);
    }

    public SettleResult ack(TakenTask task) {
        return settle(Settle.ack(task.lease()));
    }

    /** Fails the attempt; the queue's retry policy decides about the next one. */
    public SettleResult fail(TakenTask task, String message) {
        return settle(Settle.fail(task.lease(), message));
    }

    /** Fails the attempt with an exception; its class and stack trace are kept with the attempt. */
    public SettleResult fail(TakenTask task, Throwable failure) {
        return settle(Settle.fail(task.lease(), failure));
    }

    /** Fails the attempt and names the time of the next one. */
    public SettleResult retry(TakenTask task, When due, String message) {
        return settle(Settle.retry(task.lease(), due, message));
    }

    /** Returns a task without a charge, after {@code delay}. */
    public SettleResult release(TakenTask task, Duration delay) {
        return settle(Settle.release(task.lease(), delay));
    }

    /** Puts a taken task on the dead-letter list. */
    public SettleResult bury(TakenTask task, String message) {
        return settle(Settle.bury(task.lease(), message));
    }

    /** Moves the deadline of a delivery with a time limit. */
    public Touch.Result touch(Lease lease, Duration by) {
        return storage.touch(List.of(new Touch(lease, by))).get(0);
    }

    // Inspect and operate

    public Optional<Task> peek(long taskId) {
        return storage.peek(taskId);
    }

    public List<Task> list(TaskQuery query) {
        return storage.list(query);
    }

    /** The unsuccessful attempts of a task, oldest first. */
    public List<Attempt> attempts(long taskId) {
        return storage.attempts(taskId);
    }

    /** Returns the id of the live task with the address. */
    public OptionalLong findAddress(String queue, String address) {
        return storage.findAddress(queue, Checks.name("address", address));
    }

    public List<Task> findEquivalent(Equivalence equivalence) {
        return storage.findEquivalent(equivalence);
    }

    /** Ends a live task and revokes its lease. Returns the new state. */
    public TaskState delete(long taskId) {
        return storage.delete(taskId).state();
    }

    /** Ends a live task. A running task is asked to stop and loses its lease after 10 seconds. Returns the new state. */
    public TaskState cancel(long taskId, String reason) {
        return storage.cancel(taskId, reason).state();
    }

    /** Puts a live task on the dead-letter list and revokes its lease. Returns the new state. */
    public TaskState bury(long taskId, String message) {
        return storage.bury(taskId, message).state();
    }

    /** Brings a buried task back with all its attempts, or throws {@link AddressInUseException}. Returns the new state. */
    public TaskState kick(long taskId) {
        return storage.kick(taskId).state();
    }

    public Queue queue(String name) {
        return new Queue(name, storage, events, waitingConsumers, autoCreate);
    }

    public List<QueueInfo> queues() {
        return storage.queues().list();
    }

    public List<QueueStats> stats() {
        return storage.queues().stats();
    }

    /**
     * Makes all timed changes now, which this Leat otherwise makes at their time: due tasks, expiry, time limits, silent sessions, due runs and
     * purge. Returns the counts of this process since it was opened or since the last call.
     */
    public Housekeeping housekeep() {
        checkOpen();
        return sweeper.housekeep();
    }

    /** Reads the outcomes of tasks, and waits for them. */
    public Outcomes outcomes() {
        return outcomes;
    }

    /** Lists and redrives buried tasks. */
    public DeadLetters deadLetters() {
        return new DeadLetters(this);
    }

    /** Manages the subscriptions of topics. */
    public Subscriptions subscriptions() {
        return new Subscriptions(this);
    }

    /** Manages the schedules. */
    public Schedules schedules() {
        return new Schedules(this);
    }

    public Group createGroup(GroupSpec spec) {
        return new Group(storage.groups().create(spec).id(), storage);
    }

    /** Returns the group of that name that has not ended. */
    public Optional<Group> group(String name) {
        return storage.groups().find(name).map(info -> new Group(info.id(), storage));
    }

    /** Returns a handle on the group with this id, which may not exist. */
    public Group group(long groupId) {
        return new Group(groupId, storage);
    }

    /** Sends every task change made through this Leat to the listener, until the registration is closed. */
    public Registration onTaskChange(TaskListener listener) {
        return events.listen(listener);
    }

    // Work

    /** Begins a worker; {@link Worker.Builder#start()} starts it. The worker stops when this Leat closes. */
    public Worker.Builder worker() {
        checkOpen();
        shutdownHook.register();
        return new WorkerSetup(new WorkerHost(this, dispatcher, heartbeat, workers, () -> closer.get() != null));
    }

    /** Begins to take part in the choice of one leader among all processes with this name; ends when this Leat closes. */
    public Leadership.Builder leader(String name) {
        checkOpen();
        shutdownHook.register();
        return new LeadershipSetup(name, storage.lock(), leaderships::add);
    }

    /** The storage underneath, for code that builds on the seams. Its changes are reported to the task listeners, too. */
    public Storage storage() {
        return storage;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("This Leat");
        }
    }

    /**
     * Ends the terms as a leader, stops the workers within {@link Builder#stopWithin}, ends all waits, gives taken tasks back, and closes the
     * storage. A second call waits for the first one.
     */
    @Override
    public void close() {
        if (!closer.compareAndSet(null, Thread.currentThread())) {
            awaitClosed();
            return;
        }
        try {
            closeAll(leaderships);
            stopWorkers();
        } finally {
            closed = true;
            closeAll(List.of(dispatcher, awaiter, heartbeat, sweeper, undecorated));
            shutdownHook.remove(); // last, so that a JVM that shuts down waits for this close
            allClosed.countDown();
        }
    }

    /** Does not wait on the closing thread, such as in a listener that calls close() again. */
    private void awaitClosed() {
        if (closer.get() == Thread.currentThread()) {
            return;
        }
        try {
            allClosed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stopWorkers() {
        List<CompletableFuture<StopReport>> stops =
                workers.stream().map(worker -> worker.stopAsync(stopWithin)).toList();
        int running =
                workers.stream().mapToInt(worker -> worker.stats().running()).sum();
        if (running > 0) {
            log.warn(
                    "Closing with {} running: waits up to {} for them, then interrupts them and gives their tasks"
                            + " back{}",
                    InWords.count(running, "handler"),
                    InWords.duration(stopWithin),
                    shutdownHook.isRunning() ? ". Ctrl-C ends the process at once" : "");
        }
        stops.forEach(CompletableFuture::join);
    }

    /** Closes each part, even if another one throws. */
    private static void closeAll(List<? extends AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                log.warn("{} did not close cleanly", part.getClass().getSimpleName(), e);
            }
        }
    }

    /** The options of a Leat. All have defaults. */
    public static final class Builder {
        private final Function<StorageSettings, Storage> opener;
        private final List<Codec> codecs = new ArrayList<>();
        private String name = "leat-" + ProcessHandle.current().pid();
        private AutoCreate autoCreate = AutoCreate.ON;
        private Duration heartbeat = Duration.ofSeconds(5);
        private Duration deadAfter = Duration.ofSeconds(15);
        private Duration grace = Duration.ofSeconds(2);
        private UnaryOperator<NewTask> beforePut = UnaryOperator.identity();
        private PurgeOptions purge = PurgeOptions.standard();
        private Duration stopWithin = Duration.ofSeconds(20);
        private boolean shutdownHook = true;
        private @Nullable Storage storage;

        private Builder(Function<StorageSettings, Storage> opener) {
            this.opener = opener;
        }

        /** The name of this process's session in views and lists; default {@code leat-<pid>}. */
        public Builder name(String name) {
            this.name = Checks.name("name", name);
            return this;
        }

        /** Adds a codec; it is tried before those on the class path. */
        public Builder codec(Codec codec) {
            codecs.add(codec);
            return this;
        }

        public Builder autoCreate(AutoCreate autoCreate) {
            this.autoCreate = autoCreate;
            return this;
        }

        /**
         * The interval of heartbeats, and the silence after which the session ends and its tasks go back; defaults 5 and 15 seconds.
         * {@code deadAfter} must be at least twice the interval.
         */
        public Builder heartbeat(Duration interval, Duration deadAfter) {
            Checks.positive("heartbeat", interval);
            if (deadAfter.compareTo(interval.multipliedBy(2)) < 0) {
                throw new InvalidRequestException(
                        "deadAfter", "must be at least twice the heartbeat of " + interval + ", was " + deadAfter);
            }
            this.heartbeat = interval;
            this.deadAfter = deadAfter;
            return this;
        }

        /**
         * How long the session keeps its leases after its connection to a Leat server is lost; default 2 seconds. Without a server, only the
         * heartbeat counts.
         */
        public Builder grace(Duration grace) {
            this.grace = Checks.notNegative("grace", grace);
            return this;
        }

        /** Receives every task before its put and can change it, for example for tracing. */
        public Builder beforePut(UnaryOperator<NewTask> hook) {
            this.beforePut = hook;
            return this;
        }

        /**
         * When finished tasks past their retention are removed from the database; default {@link PurgeOptions#standard}. Use the same options
         * in all processes. Clients of a server leave the purge to the server.
         */
        public Builder purge(PurgeOptions options) {
            this.purge = options;
            return this;
        }

        /**
         * How long {@link Leat#close()} waits for running handlers before it interrupts them and gives their tasks back; default 20 seconds.
         * {@code close()} can take some seconds longer, to write the last outcomes. Choose less than your environment waits before it kills
         * the process: {@code docker stop} waits 10 seconds, Kubernetes 30.
         */
        public Builder stopWithin(Duration time) {
            this.stopWithin = Checks.notNegative("stopWithin", time);
            return this;
        }

        /**
         * Whether a shutdown of the JVM, by SIGTERM, Ctrl-C or {@code System.exit}, closes the Leat; default true. Handlers can end within
         * {@link #stopWithin}, then the storage closes; a second Ctrl-C ends the JVM at once. The hook is installed by the first worker, take
         * or leadership. Set false where a container closes the Leat, or a shutdown hook of yours still uses it.
         */
        public Builder shutdownHook(boolean closes) {
            this.shutdownHook = closes;
            return this;
        }

        /** Uses this storage instead of opening one; {@link Leat#close()} closes it. */
        public Builder storage(Storage storage) {
            this.storage = storage;
            return this;
        }

        public Leat open() {
            return new Leat(
                    this,
                    storage != null
                            ? storage
                            : opener.apply(StorageSettings.standard().purge(purge)));
        }
    }
}
