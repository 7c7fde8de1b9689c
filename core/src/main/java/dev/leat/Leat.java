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
import dev.leat.storage.HandlerTransaction;
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
 * An open task queue: puts and takes tasks, settles them, looks after queues, and starts workers.
 *
 * <pre>{@code
 * try (Leat leat = Leat.open("memory:")) {
 *     leat.put("emails", "ada@example.org");
 *     Worker worker = leat.worker().handle("emails", String.class, (address, task) -> send(address)).start();
 *     worker.join(); // until Ctrl-C
 * }
 * }</pre>
 *
 * <p>One Leat is one session: it heartbeats by itself, and when it is closed or dies, what it had taken goes back to its
 * queues. Safe for use by many threads; make one and share it. {@link #close()} stops its workers first; the JVM calls it when it
 * shuts down, see {@link Builder#shutdownHook}.
 */
public final class Leat implements Producer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Leat.class);
    /** For what this Leat does for itself: listeners do not hear of tasks that it gives back. */
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

    /** What a put into a queue that does not exist does. */
    public enum AutoCreate {
        /** It makes the queue, with standard options. */
        ON,
        /** It throws {@link QueueNotFoundException}. */
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

    /** Opens {@code memory:}, or whatever else a storage on the class path understands. */
    public static Leat open(String url) {
        return builder(url).open();
    }

    public static Builder builder(String url) {
        return new Builder(settings -> Storages.open(url, settings));
    }

    /** Opens the database that a data source leads to, such as one of Spring's; needs {@code leat-sql}. */
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

    /** Puts; queues that are missing are made, if anything is. */
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

    /** Puts a task, waiting for space in a full queue up to {@code timeout}; then {@link QueueFullException}. */
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
     * A producer whose puts are part of the connection's transaction: they count when it commits, or never. Leat neither
     * commits nor rolls back, and its listeners do not hear of these puts.
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

    /** Takes one task of the queue, if there is one now. */
    public Optional<TakenTask> take(String queue) {
        return takeNow(TakeRequest.from(queue)).stream().findFirst();
    }

    /** Takes what there is now. */
    public List<TakenTask> take(TakeRequest request) {
        return takeNow(request);
    }

    /**
     * Takes tasks, waiting up to {@code timeout} for the first one. A queue that does not exist counts as empty: the take waits until a put
     * makes the queue, and the log warns once.
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
     * Takes from the first queue that has something, and answers when there is: with nothing once {@code timeout} is
     * over. Queues that do not exist yet are waited for, too. Cancel the answer to stop waiting. No thread waits meanwhile; what is attached to the answer runs on a thread
     * that serves everybody who waits, so hand longer work to another.
     */
    public CompletableFuture<List<TakenTask>> takeAsync(List<TakeRequest> requests, Duration timeout) {
        checkOpen();
        if (!timeout.isZero() && requests.stream().anyMatch(Leat::needsNoSessionOfOurs)) {
            openSession(); // which tells the storage that somebody waits
        }
        return dispatcher.take(requests, timeout);
    }

    private static boolean needsNoSessionOfOurs(TakeRequest request) {
        return request.isDetached() || request.session().isPresent();
    }

    private List<TakenTask> takeNow(TakeRequest request) {
        checkOpen();
        return needsNoSessionOfOurs(request) ? storage.take(request) : takeInOwnSession(request);
    }

    private List<TakenTask> takeInOwnSession(TakeRequest request) {
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

    /** Ends deliveries; each result tells whether that lease was still held. */
    public List<SettleResult> settle(List<? extends Settle> settles) {
        return storage.settle(List.copyOf(settles));
    }

    public SettleResult settle(Settle settle) {
        return settle(List.of(settle)).get(0);
    }

    public SettleResult ack(TakenTask task) {
        return settle(Settle.ack(task.lease()));
    }

    /** The attempt failed; the queue's retry policy says when and whether it is tried again. */
    public SettleResult fail(TakenTask task, String message) {
        return settle(Settle.fail(task.lease(), message));
    }

    /** The same, with the exception that it failed with; its class and its stack trace are kept with the attempt. */
    public SettleResult fail(TakenTask task, Throwable failure) {
        return settle(Settle.fail(task.lease(), failure));
    }

    /** The attempt failed, to be tried again at a chosen moment. */
    public SettleResult retry(TakenTask task, When due, String message) {
        return settle(Settle.retry(task.lease(), due, message));
    }

    /** Gives a task back without blame, to come again after {@code delay}. */
    public SettleResult release(TakenTask task, Duration delay) {
        return settle(Settle.release(task.lease(), delay));
    }

    /** Puts a taken task aside for a human. */
    public SettleResult bury(TakenTask task, String message) {
        return settle(Settle.bury(task.lease(), message));
    }

    /** Asks for more time for a delivery with a time limit. */
    public Touch.Result touch(Lease lease, Duration by) {
        return storage.touch(List.of(new Touch(lease, by))).get(0);
    }

    // Look and operate

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

    /** The live task that has the address. */
    public OptionalLong findAddress(String queue, String address) {
        return storage.findAddress(queue, Checks.name("address", address));
    }

    public List<Task> findEquivalent(Equivalence equivalence) {
        return storage.findEquivalent(equivalence);
    }

    /** Ends a live task; whoever runs it loses its lease. Answers the state it has now. */
    public TaskState delete(long taskId) {
        return storage.delete(taskId).state();
    }

    /** Ends a live task; one that runs is asked to stop, and loses its lease after 10 seconds. */
    public TaskState cancel(long taskId, String reason) {
        return storage.cancel(taskId, reason).state();
    }

    /** Puts a live task aside; whoever runs it loses its lease. */
    public TaskState bury(long taskId, String message) {
        return storage.bury(taskId, message).state();
    }

    /** Frees a buried task, or throws {@link AddressInUseException}. */
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
     * Does now what this Leat does by itself when it is time: lets due tasks run, takes tasks from holders who are out of time or died, expires
     * and purges. Answers what it has done since it was opened or last asked. Others do the same: what they did is not in it.
     */
    public Housekeeping housekeep() {
        checkOpen();
        return sweeper.housekeep();
    }

    /** Reads the outcomes of tasks, and waits for them. */
    public Outcomes outcomes() {
        return outcomes;
    }

    /** What was put aside for a human. */
    public DeadLetters deadLetters() {
        return new DeadLetters(this);
    }

    /** Who gets what is published. */
    public Subscriptions subscriptions() {
        return new Subscriptions(this);
    }

    /** What is put again and again. */
    public Schedules schedules() {
        return new Schedules(this);
    }

    public Group createGroup(GroupSpec spec) {
        return new Group(storage.groups().create(spec).id(), storage);
    }

    /** The group of that name that has not ended. */
    public Optional<Group> group(String name) {
        return storage.groups().find(name).map(info -> new Group(info.id(), storage));
    }

    /** A group by its id, whether or not it exists still. */
    public Group group(long groupId) {
        return new Group(groupId, storage);
    }

    /** Hears every change made through this Leat from now on; close the registration to stop. */
    public Registration onTaskChange(TaskListener listener) {
        return events.listen(listener);
    }

    // Work

    /** Describes a worker; {@link Worker.Builder#start()} starts it. It stops when this Leat closes. */
    public Worker.Builder worker() {
        checkOpen();
        shutdownHook.register();
        return new WorkerSetup(
                new WorkerHost(
                        this, dispatcher, heartbeat, workers, () -> closer.get() != null, HandlerTransaction::commit));
    }

    /** Takes part in choosing one process of all that say the same, to do what one is enough for; ends when this Leat closes. */
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
     * Ends its terms as a leader, stops the workers within {@link Builder#stopWithin}, ends all waiting, gives back what is held, and closes
     * the storage. Whoever closes it meanwhile waits for the same end.
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
            shutdownHook.remove(); // at the end: a JVM that shuts down meanwhile waits for it
            allClosed.countDown();
        }
    }

    /** A listener that closes the Leat while it is being closed must not wait for itself. */
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
                    "Closing with {} running: waits up to {} for them, then interrupts them and gives their tasks back{}",
                    InWords.count(running, "handler"),
                    InWords.duration(stopWithin),
                    shutdownHook.isRunning() ? ". Ctrl-C ends the process at once" : "");
        }
        stops.forEach(CompletableFuture::join);
    }

    /** Closes each, whatever the others do. */
    private static void closeAll(List<? extends AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception e) {
                log.warn("{} did not close cleanly", part.getClass().getSimpleName(), e);
            }
        }
    }

    /** What a Leat is opened with. Everything has a default. */
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

        /** What this process calls itself where sessions are shown; default {@code leat-<pid>}. */
        public Builder name(String name) {
            this.name = Checks.name("name", name);
            return this;
        }

        /** Comes before the codecs found on the class path. */
        public Builder codec(Codec codec) {
            codecs.add(codec);
            return this;
        }

        public Builder autoCreate(AutoCreate autoCreate) {
            this.autoCreate = autoCreate;
            return this;
        }

        /**
         * How often this process says that it lives, and after how long a silence others take its tasks; defaults 5
         * and 15 seconds. The second must be at least twice the first.
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
         * How long others wait before they take this process's tasks when its connection to a Leat server is lost; default 2
         * seconds. A storage without a server has no such connection: there the heartbeat decides alone.
         */
        public Builder grace(Duration grace) {
            this.grace = Checks.notNegative("grace", grace);
            return this;
        }

        /** Sees and may change every task before it is put, for tracing and the like. */
        public Builder beforePut(UnaryOperator<NewTask> hook) {
            this.beforePut = hook;
            return this;
        }

        /**
         * When finished tasks that were kept long enough are removed from the database; default {@link PurgeOptions#standard}: whenever it
         * is due. All processes should have the same. A server's clients leave it to the server.
         */
        public Builder purge(PurgeOptions options) {
            this.purge = options;
            return this;
        }

        /**
         * How long {@link Leat#close()} lets running handlers go on before it interrupts them and gives their tasks back; default 20
         * seconds. {@code close()} may take some seconds longer than this, to write the last outcomes. Choose less than the time after
         * which others kill the process: {@code docker stop} waits for 10 seconds, Kubernetes for 30.
         */
        public Builder stopWithin(Duration time) {
            this.stopWithin = Checks.notNegative("stopWithin", time);
            return this;
        }

        /**
         * Whether the Leat is closed when the JVM shuts down, by SIGTERM, Ctrl-C or {@code System.exit}; default true. Handlers may end
         * within {@link #stopWithin}, then the storage is closed; a second Ctrl-C ends the JVM at once. It covers a Leat that has made workers,
         * taken tasks or been a candidate; one that only puts has nothing to end. Switch it off where a container closes the Leat, or a
         * shutdown hook of yours still uses it.
         */
        public Builder shutdownHook(boolean closes) {
            this.shutdownHook = closes;
            return this;
        }

        /** Uses this storage instead of opening one; it is closed with the Leat. */
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
