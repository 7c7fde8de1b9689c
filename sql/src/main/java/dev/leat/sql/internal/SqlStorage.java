package dev.leat.sql.internal;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PutResult;
import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.QueueStats;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.storage.Capability;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A storage in an SQL database: each call is one {@link Turn}, and what it changed is told after its commit.
 *
 * <p>Safe from any thread. One daemon thread watches what other processes do, from the first listener until close.
 */
final class SqlStorage implements Storage {
    /** Every turn first does what time demands, of at most this many tasks: the rest is the sweeper's. */
    private static final int IN_PASSING = 1_000;
    /** Changes made in passing wait for the next sweep, which tells them; past this many they are lost. */
    private static final int MAX_UNTOLD = 10_000;

    private static final long PURGE_EVERY = Times.micros(Duration.ofSeconds(10));

    private final Dialect dialect;
    private final Db db;
    private final QueueCache cache = new QueueCache();
    private final SqlLock lock;
    private final SqlSignal signal;
    private final Watcher watcher;
    private final News news;
    private final List<TaskEvent> untold = new ArrayList<>();
    /** When the last sweep said that time changes something next. */
    private long nextTold = Long.MAX_VALUE;

    private long lastPurge;

    private SqlStorage(Dialect dialect, Db db) {
        this.dialect = dialect;
        this.db = db;
        this.lock = new SqlLock(db);
        this.news = new News(db, this::tell, this::isEarlierThanTold);
        this.signal = new SqlSignal(this::watch);
        this.watcher = new Watcher(news::look, signal::isAnybodyListening);
    }

    static SqlStorage open(Dialect dialect, String prefix, Migrations.Mode migrate) {
        Statements statements = new Statements(dialect, prefix);
        Db db = new Db(dialect, statements);
        try {
            new Migrations(db, dialect, statements).run(migrate);
            return new SqlStorage(dialect, db);
        } catch (RuntimeException e) {
            db.close();
            throw e;
        }
    }

    private void watch() {
        watcher.start();
    }

    // What it is

    @Override
    public String name() {
        return dialect.name();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.DURABLE, Capability.SHARED);
    }

    @Override
    public Instant now() {
        return Times.instant(db.read(Tx::now));
    }

    @Override
    public Signal signal() {
        return signal;
    }

    @Override
    public Lock lock() {
        return lock;
    }

    // Queues

    @Override
    public QueueInfo createQueue(String queue, QueueOptions options) {
        return write(turn -> turn.queues.create(queue, options).info());
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return write(turn -> turn.queues.declare(queue, options, setBy).info());
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return read(turn -> Optional.ofNullable(turn.queues.find(queue)).map(QueueRow::info));
    }

    @Override
    public List<QueueInfo> queues() {
        return read(turn -> turn.queues.all().stream().map(QueueRow::info).toList());
    }

    @Override
    public void pause(String queue) {
        run(turn -> turn.queues.pause(queue));
    }

    @Override
    public void resume(String queue) {
        run(turn -> turn.queues.resume(queue));
    }

    @Override
    public void drop(String queue) {
        run(turn -> new Operators(turn).drop(queue));
    }

    @Override
    public long truncate(String queue) {
        return write(turn -> new Operators(turn).truncate(queue));
    }

    @Override
    public long releaseAll(String queue) {
        return write(turn -> new Operators(turn).releaseAll(queue));
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        return write(turn -> new Puts(turn).put(tasks));
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        return write(turn -> new Takes(turn).take(request));
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        return write(turn -> new Settling(turn).settle(settles));
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        return write(turn -> new Settling(turn).touch(touches));
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return read(turn -> new Lookups(turn).peek(taskId));
    }

    @Override
    public List<Task> list(TaskQuery query) {
        return read(turn -> new Lookups(turn).list(query));
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return read(turn -> new Lookups(turn).attempts(taskId));
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return write(turn -> new Operators(turn).kick(queue, count));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return write(turn -> new Operators(turn).kick(taskId));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return write(turn -> new Operators(turn).delete(taskId));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return write(turn -> new Operators(turn).cancel(taskId, reason));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return write(turn -> new Operators(turn).bury(taskId, message));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        return read(turn -> new Lookups(turn).findAddress(queue, address));
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return read(turn -> new Lookups(turn).outcome(taskId));
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        return read(turn -> new Lookups(turn).findEquivalent(equivalence));
    }

    @Override
    public List<QueueStats> stats() {
        return read(turn -> new Lookups(turn).stats());
    }

    @Override
    public QueueStats stats(String queue) {
        return read(turn -> new Counts(turn).stats(turn.queues.get(queue)));
    }

    // Sessions

    @Override
    public String openSession(SessionSpec spec) {
        return write(turn -> new Sessions(turn).open(spec));
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        return write(turn -> new Sessions(turn).heartbeat(session, waiting));
    }

    @Override
    public void disconnect(String session) {
        run(turn -> new Sessions(turn).disconnect(session));
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        return write(turn -> new Sessions(turn).close(session));
    }

    // Groups

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        return write(turn -> turn.groups.create(spec));
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return read(turn -> turn.groups.info(groupId));
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return read(turn -> turn.groups.info(name));
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return write(turn -> turn.groups.setTasks(groupId, end, abort));
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        return write(turn -> turn.groups.start(groupId));
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        return write(turn -> turn.groups.cancel(groupId, reason));
    }

    // Time

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        record Next(long now, long at) {}
        Next next = write(turn -> {
            Sweeping sweeping = new Sweeping(turn);
            sweeping.catchUp(sweep.limit());
            long sessions = new Sessions(turn).sweep(sweep.sessions());
            purgeNowAndThen(sweeping, turn.now, sweep.limit());
            long timer = sweeping.nextTimer();
            long at = timer == 0 || (sessions != 0 && sessions < timer) ? sessions : timer;
            promise(at);
            return new Next(turn.now, at);
        });
        Optional<Duration> nextIn =
                next.at == 0 ? Optional.empty() : Optional.of(Times.duration(Math.max(0, next.at - next.now)));
        return new Sweep.Result(takeUntold(), nextIn);
    }

    /** Said while nobody else can write, so that whoever sets an earlier timer afterwards knows that he must tell. */
    private void promise(long nextTimer) {
        synchronized (untold) {
            nextTold = nextTimer == 0 ? Long.MAX_VALUE : nextTimer;
        }
    }

    private List<TaskEvent> takeUntold() {
        synchronized (untold) {
            List<TaskEvent> events = List.copyOf(untold);
            untold.clear();
            return events;
        }
    }

    private void purgeNowAndThen(Sweeping sweeping, long now, int limit) {
        if (Math.abs(now - lastPurge) >= PURGE_EVERY) {
            lastPurge = now;
            sweeping.purge(limit);
        }
    }

    @Override
    public void close() {
        watcher.close();
        db.close();
    }

    // Turns

    private void run(Consumer<Turn> operation) {
        write(turn -> {
            operation.accept(turn);
            return turn;
        });
    }

    private <T> T write(Function<Turn, T> operation) {
        record Done<T>(Turn turn, T result) {}
        Done<T> done = db.write(tx -> {
            Turn turn = new Turn(tx, cache);
            if (turn.isAnythingDue()) {
                new Sweeping(turn).catchUp(IN_PASSING);
            }
            T result = operation.apply(turn);
            turn.finish();
            return new Done<>(turn, result);
        });
        tellOf(done.turn);
        return done.result;
    }

    /** Looks at the tasks as they are now: what time demands is done first. */
    private <T> T read(Function<Turn, T> operation) {
        record Done<T>(boolean due, Optional<T> result) {}
        Done<T> done = db.read(tx -> {
            Turn turn = new Turn(tx, cache);
            return turn.isAnythingDue()
                    ? new Done<>(true, Optional.empty())
                    : new Done<>(false, Optional.of(operation.apply(turn)));
        });
        return done.due ? write(operation) : done.result.orElseThrow();
    }

    private void tellOf(Turn turn) {
        List<Notice> notices = turn.notices();
        synchronized (untold) {
            for (TaskEvent event : turn.untold()) {
                if (untold.size() < MAX_UNTOLD) {
                    untold.add(event);
                }
            }
            if (!untold.isEmpty() || turn.earliestTimer() < nextTold) {
                nextTold = Math.min(nextTold, turn.earliestTimer());
                notices.add(Notice.TimerMoved.INSTANCE);
            }
        }
        notices.forEach(this::tell);
    }

    private void tell(Notice notice) {
        signal.send(notice);
    }

    private boolean isEarlierThanTold(long timer) {
        synchronized (untold) {
            boolean earlier = timer < nextTold;
            nextTold = Math.min(nextTold, timer);
            return earlier;
        }
    }
}
