package dev.leat.sql.internal;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PurgeOptions;
import dev.leat.PutResult;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.error.AddressInDoubtException;
import dev.leat.error.EquivalentInDoubtException;
import dev.leat.error.GroupNotFoundException;
import dev.leat.error.LeatException;
import dev.leat.error.PutOutcomeUnknownException;
import dev.leat.error.StorageException;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.fast.LostTakes;
import dev.leat.sql.internal.fast.Watermarks;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Lookups;
import dev.leat.sql.internal.operation.Operators;
import dev.leat.sql.internal.operation.Puts;
import dev.leat.sql.internal.operation.ScheduleRows;
import dev.leat.sql.internal.operation.SessionRows;
import dev.leat.sql.internal.operation.Settling;
import dev.leat.sql.internal.operation.SubscriptionRows;
import dev.leat.sql.internal.operation.Takes;
import dev.leat.sql.internal.operation.TenantTurns;
import dev.leat.sql.internal.peers.AwaitedTasks;
import dev.leat.sql.internal.peers.ForeignChanges;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.peers.SignalServer;
import dev.leat.sql.internal.peers.SignalledPeers;
import dev.leat.sql.internal.peers.SqlSignal;
import dev.leat.sql.internal.peers.Watcher;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.upkeep.Followers;
import dev.leat.sql.internal.upkeep.GroupEnds;
import dev.leat.sql.internal.upkeep.GroupFolds;
import dev.leat.sql.internal.upkeep.GroupMoves;
import dev.leat.sql.internal.upkeep.NextTimer;
import dev.leat.sql.internal.upkeep.Partitions;
import dev.leat.sql.internal.upkeep.PurgeRuns;
import dev.leat.sql.internal.upkeep.Purging;
import dev.leat.sql.internal.upkeep.Sweeping;
import dev.leat.sql.internal.work.CallTime;
import dev.leat.sql.internal.work.TaskCounts;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.CallerTransaction;
import dev.leat.storage.Capability;
import dev.leat.storage.Finding;
import dev.leat.storage.GroupPut;
import dev.leat.storage.HandlerTransaction;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.Redriven;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage in an SQL database: each call is one {@link UnitOfWork}, and what it changed is told after its commit.
 *
 * <p>Safe from any thread. One daemon thread watches what other processes do, from the first listener until close.
 */
public final class SqlStorage implements Storage {
    private static final Logger log = LoggerFactory.getLogger(SqlStorage.class);
    /** Every turn first does what time demands, of at most this many tasks: the rest is the sweeper's. */
    private static final int IN_PASSING = 1_000;
    /** How late the sweeper may be before others do its work. */
    private static final long SWEEPER_PATIENCE = Times.micros(Duration.ofMillis(200));

    private static final long LOOK_AT_GROUPS_EVERY = Times.micros(Duration.ofSeconds(20));
    /** Those that may be over and are held by somebody. */
    private static final long LOOK_AT_HELD_GROUPS_EVERY = Times.micros(Duration.ofMillis(500));

    /** Those that another process is at, that cannot be read, or that wait for somebody. */
    private static final long LOOK_AT_LEFT_SCHEDULES_EVERY = Times.micros(Duration.ofMillis(200));

    /** How many takes are tried when each commit is cut off and has done nothing. */
    private static final int MOST_TAKES = 3;

    private final Engine dialect;
    private final Db db;
    private final QueueCache cache = new QueueCache();
    private final TenantTurns tenantTurns = new TenantTurns();
    private final SqlLock lock;
    private final Optional<SignalServer> signalServer;
    private final SqlSignal signal;
    private final Peers peers;
    private final Watermarks watermarks = new Watermarks();
    private final AwaitedTasks awaited = new AwaitedTasks();
    private final LostTakes lostTakes;
    private final GroupMoves groupMoves;
    private final GroupEnds groupEnds;
    private final GroupFolds groupFolds;
    private final Followers followers;
    private final SecureRandom nonces = new SecureRandom();
    private final @Nullable FastPath fastPath;
    private final @Nullable Partitions partitions;
    private final PurgeRuns purgeRuns;
    private final NextTimer timetable = new NextTimer();

    /** What was said about those that others have to look after. */
    private final Set<String> unreadableSchedules = ConcurrentHashMap.newKeySet();

    /** Those that were said to wait for somebody's transaction. */
    private final Set<String> schedulesInDoubt = ConcurrentHashMap.newKeySet();

    /** By how much the database's clock is ahead of ours, as last seen. */
    private volatile long ahead;

    private volatile long lastLookAtGroups;

    private SqlStorage(Engine dialect, Db db, Tables tables, PurgeOptions purge, Optional<SignalServer> signalServer) {
        this.dialect = dialect;
        this.db = db;
        this.lock = new SqlLock(db);
        this.signalServer = signalServer;
        this.signal = new SqlSignal(dialect.missInterval(), this::listen);
        this.peers = peers(tables);
        this.lostTakes = new LostTakes(db, cache);
        this.groupMoves = new GroupMoves(db, cache, this::afterCommit);
        this.groupEnds = new GroupEnds(db, cache, this::tellOf);
        this.groupFolds = new GroupFolds(db);
        this.followers = new Followers(db, cache, this::followed);
        this.fastPath =
                dialect.hasFastPath() ? new FastPath(db, cache, watermarks, lostTakes, new FastPathListener()) : null;
        this.partitions = dialect.hasPartitions() ? new Partitions(db) : null;
        this.purgeRuns = new PurgeRuns(lock, purge, new Purger());
    }

    private final class FastPathListener implements FastPath.Listener {
        @Override
        public Optional<Peers.Announcement> announceFresh(QueueRow queue, int priority) {
            return peers.announceFresh(queue.name(), priority);
        }

        @Override
        public void announced(long nanos) {
            peers.announced(nanos);
        }

        @Override
        public void fresh(QueueRow queue, int priority, long id, boolean isAnnounced) {
            watermarks.lower(queue.id(), priority, id);
            if (!isAnnounced) {
                peers.tellFresh(queue.name(), priority, id);
            }
            signal.send(new Notice.Ready(queue.name()));
        }

        @Override
        public void acked(long id, boolean hasAddress) {
            if (hasAddress) {
                tell(new Notice.TaskNews(id));
            } else {
                tellHere(id);
            }
        }

        @Override
        public void ready(QueueRow queue) {
            tell(new Notice.Ready(queue.name()));
        }

        @Override
        public void timer(long at) {
            tellTimer(at);
        }
    }

    private final class Purger implements PurgeRuns.Purger {
        @Override
        public PurgeRuns.Removed rows(int limit) {
            return writeAgain(unit -> new Purging(unit, limit).run());
        }

        @Override
        public PurgeRuns.Removed days(int limit, long now) {
            return partitions == null ? new PurgeRuns.Removed(0, 0, false) : partitions.keepUp(now, limit);
        }
    }

    private Peers peers(Tables tables) {
        PeersHearer hearer = new PeersHearer();
        Peers known = dialect.peers(db, tables, hearer, this::watcher);
        return signalServer
                .<Peers>map(server -> new SignalledPeers(known, server.signal(), hearer))
                .orElse(known);
    }

    /** @param signalServer is closed with the storage */
    static SqlStorage open(
            Engine dialect,
            Tables tables,
            Migrations.Mode migrate,
            PurgeOptions purge,
            Optional<SignalServer> signalServer) {
        Statements statements = RowStatements.of(dialect, tables);
        Db db = new Db(dialect, statements);
        try {
            new Migrations(db, dialect, statements, tables, Migrations.PATIENCE).run(migrate);
            return new SqlStorage(dialect, db, tables, purge, signalServer);
        } catch (RuntimeException e) {
            db.close();
            signalServer.ifPresent(SignalServer::close);
            throw e;
        }
    }

    private Watcher watcher() {
        ForeignChanges news = new ForeignChanges(db, signal::send, timetable::isEarlier, awaited::chunks);
        return new Watcher(news::look, signal::isAnybodyListening, () -> dialect.fileWatch(db));
    }

    private void listen() {
        peers.listen();
    }

    private final class PeersHearer implements Peers.Hearer {
        @Override
        public void hear(Notice notice) {
            signal.send(notice);
        }

        @Override
        public void hearFresh(String queue, int priority, long id) {
            QueueRow known = cache.latest(queue);
            if (known != null) {
                watermarks.lower(known.id(), priority, id);
            }
            signal.send(new Notice.Ready(queue));
        }
    }

    // What it is

    @Override
    public String name() {
        return dialect.name();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(
                Capability.DURABLE, Capability.SHARED, Capability.CALLER_TRANSACTION, Capability.HANDLER_TRANSACTION);
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
        return signalServer.map(SignalServer::lock).orElse(lock);
    }

    @Override
    public CallerTransaction with(Connection connection) {
        return new JoinedTransaction(connection, db, cache, peers, this::joined);
    }

    /** Tasks of a caller's transaction that wait for others can be looked at only once he has committed. */
    private void joined(UnitOfWork unit) {
        if (!unit.dependencies.unsure().isEmpty()) {
            followers.later(unit.dependencies.unsure());
            wakeOwnSweeper();
        }
    }

    @Override
    public HandlerTransaction begin() {
        return new SqlHandlerTransaction(db, cache, new HandlerSurroundings());
    }

    private final class HandlerSurroundings implements SqlHandlerTransaction.Surroundings {
        @Override
        public void committed(UnitOfWork unit) {
            afterCommit(unit);
        }

        @Override
        public SettleResult settle(Settle settle) {
            return SqlStorage.this.settle(List.of(settle)).get(0);
        }

        @Override
        public void heartbeats(Map<String, Map<String, Integer>> waitingBySession) {
            waitingBySession.forEach((session, waiting) -> {
                try {
                    heartbeat(session, waiting);
                } catch (LeatException e) {
                    log.warn(
                            "Could not write a heartbeat that came during a handler's transaction: {}", e.getMessage());
                }
            });
        }
    }

    // Queues

    @Override
    public QueueInfo createQueue(String queue, QueueOptions options) {
        return prepared(write(unit -> unit.queues.create(queue, options).info()));
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return prepared(
                writeAgain(unit -> unit.queues.declare(queue, options, setBy).info()));
    }

    private QueueInfo prepared(QueueInfo queue) {
        if (partitions != null) {
            partitions.prepare(queue.options().retention());
        }
        return queue;
    }

    @Override
    public Optional<QueueInfo> queue(String queue) {
        return read(unit -> Optional.ofNullable(unit.queues.find(queue)).map(QueueRow::info));
    }

    @Override
    public List<QueueInfo> queues() {
        return read(unit -> unit.queues.all().stream().map(QueueRow::info).toList());
    }

    @Override
    public void pause(String queue) {
        runAgain(unit -> unit.queues.pause(queue));
    }

    @Override
    public void resume(String queue) {
        runAgain(unit -> unit.queues.resume(queue));
    }

    @Override
    public void drop(String queue) {
        run(unit -> new Operators(unit).drop(queue));
    }

    @Override
    public long truncate(String queue) {
        return write(unit -> new Operators(unit).truncate(queue));
    }

    @Override
    public long releaseAll(String queue) {
        return write(unit -> new Operators(unit).releaseAll(queue));
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        Optional<List<PutResult>> atOnce = fastPath == null ? Optional.empty() : fastPath.put(tasks);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        return put(tasks, puts -> puts.put(tasks));
    }

    private <T> T put(List<NewTask> tasks, Function<Puts, T> put) {
        try {
            return write(unit -> put.apply(new Puts(unit)));
        } catch (Tx.Failure e) {
            if (e.trouble == Dialect.Trouble.WAITED_TOO_LONG && Puts.mayBeInDoubt(tasks)) {
                throw new EquivalentInDoubtException(e);
            }
            throw e.isInDoubt() ? new PutOutcomeUnknownException(e) : e;
        }
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        Optional<List<TakenTask>> atOnce = Optional.empty();
        if (fastPath != null) {
            sweepIfDue();
            atOnce = fastPath.take(request);
        }
        return atOnce.isPresent() ? atOnce.get() : takeInTurn(request);
    }

    private List<TakenTask> takeInTurn(TakeRequest request) {
        for (int takes = 1; ; takes++) {
            long nonce = nonces.nextLong();
            try {
                return write(unit -> new Takes(unit, nonce, tenantTurns).take(request));
            } catch (Tx.Failure e) {
                if (!e.isInDoubt()) {
                    throw e;
                }
                List<TaskRow> found = lostTakes.find(request.queue(), nonce);
                if (!found.isEmpty()) {
                    found.forEach(row -> tellTimer(row.timerAt()));
                    return found.stream().map(TaskRow::taken).toList();
                }
                if (takes == MOST_TAKES) {
                    throw e;
                }
            }
        }
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        if (fastPath == null) {
            return writeAgain(unit -> new Settling(unit).settle(settles));
        }
        sweepIfDue();
        Map<Long, SettleResult> acked =
                fastPath.ack(Settling.silentAcks(settles).values());
        List<Settle> others = settles.stream()
                .filter(settle -> !acked.containsKey(settle.lease().taskId()))
                .toList();
        Iterator<SettleResult> rest = others.isEmpty()
                ? Collections.emptyIterator()
                : writeAgain(unit -> new Settling(unit).settle(others)).iterator();
        return settles.stream()
                .map(settle -> {
                    SettleResult result = acked.get(settle.lease().taskId());
                    return result != null ? result : rest.next();
                })
                .toList();
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        return write(unit -> new Settling(unit).touch(touches));
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return read(unit -> new Lookups(unit).peek(taskId));
    }

    @Override
    public List<Task> list(TaskQuery query) {
        return read(unit -> new Lookups(unit).list(query));
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return read(unit -> new Lookups(unit).attempts(taskId));
    }

    @Override
    public int countBuried(TaskQuery query, int most) {
        return read(unit -> new Lookups(unit).countBuried(query, most));
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        return write(unit -> new Operators(unit).redrive(query));
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return write(unit -> new Operators(unit).kick(queue, count));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return write(unit -> new Operators(unit).kick(taskId));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return write(unit -> new Operators(unit).delete(taskId));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return write(unit -> new Operators(unit).cancel(taskId, reason));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return write(unit -> new Operators(unit).bury(taskId, message));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        return read(unit -> new Lookups(unit).findAddress(queue, address));
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return read(unit -> new Lookups(unit).outcome(taskId));
    }

    @Override
    public Map<Long, TaskStatus> standings(Set<Long> taskIds) {
        awaited.expect(taskIds);
        Map<Long, TaskStatus> standings = read(unit -> new Lookups(unit).standings(taskIds));
        awaited.learn(standings).forEach(id -> signal.send(new Notice.TaskNews(id)));
        return standings;
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        return read(unit -> new Lookups(unit).findAddresses(queue, addresses));
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        return writeAgain(unit -> new Settling(unit).chunk(lease, number));
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        return read(unit -> new Lookups(unit).findEquivalent(equivalence));
    }

    @Override
    public List<QueueStats> stats() {
        return read(unit -> new Lookups(unit).stats());
    }

    @Override
    public QueueStats stats(String queue) {
        return read(unit -> new TaskCounts(unit).stats(unit.queues.get(queue)));
    }

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return read(unit -> new TaskCounts(unit).tenantStats(unit.queues.get(queue)));
    }

    // Sessions

    @Override
    public String openSession(SessionSpec spec) {
        return write(unit -> new SessionRows(unit).open(spec));
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        if (fastPath != null) {
            return fastPath.heartbeat(session, waiting);
        }
        while (!db.soleWriter().note(session, waiting)) {
            Optional<Done<HeartbeatReply>> done = db.tryWrite(
                    Db.Repeat.HARMLESS, tx -> done(tx, unit -> new SessionRows(unit).heartbeat(session, waiting)));
            if (done.isPresent()) {
                return told(done.get());
            }
        }
        return HeartbeatReply.later();
    }

    @Override
    public List<Lease> leases(String session) {
        return read(unit -> new SessionRows(unit).leases(session));
    }

    @Override
    public void disconnect(String session) {
        runAgain(unit -> new SessionRows(unit).disconnect(session));
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        return write(unit -> new SessionRows(unit).close(session));
    }

    // Health

    /** Rights that are missing to look are worth a word, but no reason to tell nothing else. */
    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        try {
            findings.addAll(db.look(SubscriptionRows::examine));
            findings.addAll(db.look(tx -> tx.list(
                    "examine",
                    row -> new Finding(Finding.Level.valueOf(row.getString(1)), row.getString(2), row.getString(3)))));
        } catch (Tx.Failure e) {
            findings.add(new Finding(
                    Finding.Level.WARNING,
                    "Could not look after the server: " + e.getMessage(),
                    "Does Leat's user have the right to?"));
        }
        return findings;
    }

    // Subscriptions

    @Override
    public Subscription putSubscription(Subscription subscription) {
        return write(unit -> new SubscriptionRows(unit).put(subscription));
    }

    @Override
    public Optional<Subscription> subscription(String id) {
        return read(unit -> new SubscriptionRows(unit).find(id));
    }

    @Override
    public List<Subscription> subscriptions(SubscriptionQuery query) {
        return read(unit -> new SubscriptionRows(unit).list(query));
    }

    @Override
    public Optional<Subscription> enableSubscription(String id) {
        return writeAgain(unit -> new SubscriptionRows(unit).enable(id));
    }

    @Override
    public Optional<Subscription> disableSubscription(String id, String reason, Optional<String> sentTo) {
        return writeAgain(unit -> new SubscriptionRows(unit).disable(id, reason, sentTo));
    }

    @Override
    public boolean dropSubscription(String id) {
        return write(unit -> new SubscriptionRows(unit).drop(id));
    }

    // Schedules

    @Override
    public ScheduleInfo putSchedule(Schedule schedule, QueueInfo.SetBy setBy) {
        return writeAgain(unit -> new ScheduleRows(unit).put(schedule, setBy));
    }

    @Override
    public Optional<ScheduleInfo> schedule(String name) {
        return read(unit -> new ScheduleRows(unit).find(name));
    }

    @Override
    public List<ScheduleInfo> schedules(ScheduleQuery query) {
        return read(unit -> new ScheduleRows(unit).list(query));
    }

    @Override
    public ScheduleInfo pauseSchedule(String name) {
        return writeAgain(unit -> new ScheduleRows(unit).pause(name));
    }

    @Override
    public ScheduleInfo resumeSchedule(String name) {
        return writeAgain(unit -> new ScheduleRows(unit).resume(name));
    }

    @Override
    public PutResult triggerSchedule(String name) {
        try {
            return write(unit -> new ScheduleRows(unit).trigger(name));
        } catch (Tx.Failure e) {
            throw e.isInDoubt() ? new PutOutcomeUnknownException(e) : e;
        }
    }

    @Override
    public boolean dropSchedule(String name) {
        return write(unit -> new ScheduleRows(unit).drop(name));
    }

    // Groups

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        return write(unit -> unit.groups.create(spec));
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        return put(tasks, puts -> puts.putGroup(spec, tasks));
    }

    @Override
    public Optional<GroupInfo> group(long groupId) {
        return read(unit -> unit.groups.info(groupId));
    }

    @Override
    public Optional<GroupInfo> group(String name) {
        return read(unit -> unit.groups.info(name));
    }

    @Override
    public GroupInfo setGroupTasks(long groupId, Optional<NewTask> end, Optional<NewTask> abort) {
        return write(unit -> unit.groups.setTasks(groupId, end, abort));
    }

    @Override
    public GroupInfo startGroup(long groupId) {
        run(unit -> unit.groups.start(groupId));
        return info(groupId);
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        run(unit -> unit.groups.cancel(groupId, reason));
        return info(groupId);
    }

    private GroupInfo info(long groupId) {
        return group(groupId).orElseThrow(() -> new GroupNotFoundException(Long.toString(groupId)));
    }

    // Time

    /** What one statement tells of the time to come; 0 is never. */
    private record Glance(long now, long nextTimer, long nextSession, long lastHeard, long nextRun) {
        boolean isSomethingDue() {
            return isBy(nextTimer, now) || isBy(nextSession, now) || lastHeard > now;
        }
    }

    /** Most of the time there is nothing to do, and one statement says so. */
    @Override
    public Sweep.Result sweep(Sweep sweep) {
        CallTime asked = new CallTime(dialect);
        if (lostTakes.isAnyUnfound()) {
            writeAgain(lostTakes::giveBack).run();
        }
        long moves = timetable.moves();
        Glance glance = db.look(tx -> tx.first(
                        "next-timers",
                        row -> new Glance(
                                row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)))
                .orElseThrow());
        ahead = glance.now - Times.micros(Instant.now());
        // Where one writes at a time, a sweep must have waited for its turn like the heartbeats it is to judge.
        if (glance.isSomethingDue() || !dialect.hasOtherWriters()) {
            sweepAll(sweep, asked);
        } else {
            timetable.promise(Times.earlier(glance.nextTimer, glance.nextSession), moves);
        }
        long nextRun = isBy(glance.nextRun, glance.now) ? putScheduled(sweep.limit(), glance.now) : glance.nextRun;
        timetable.isEarlier(nextRun == 0 ? Long.MAX_VALUE : nextRun); // which nobody has to be told of who sweeps now
        sweepGroups(sweep, glance.now);
        PurgeRuns.Removed purged = purgeRuns.unit(sweep, glance.now);
        boolean isMore = purged.isMore() || (groupMoves.isAnyLeft() && !groupMoves.isHeld());
        return new Sweep.Result(
                timetable.takeUntold(),
                isMore ? Optional.of(Duration.ZERO) : nextIn(glance.now, nextRun),
                purged.tasks());
    }

    private void sweepGroups(Sweep sweep, long now) {
        groupEnds.lookAgain();
        if (isOver(lastLookAtGroups, LOOK_AT_GROUPS_EVERY, now)) {
            lastLookAtGroups = now;
            groupMoves.lookForForgotten();
            followers.beginRound();
            groupEnds.lookAtForgotten();
        }
        groupMoves.goOn(sweep.limit());
        followers.sweep();
        groupFolds.fold();
    }

    private void sweepAll(Sweep sweep, CallTime asked) {
        long moves = timetable.moves();
        writeAgain(unit -> {
            Sweeping sweeping = new Sweeping(unit);
            sweeping.catchUp(sweep.limit());
            long nextSession = new SessionRows(unit).sweep(sweep.sessions(), asked.at(unit));
            timetable.promise(Times.earlier(sweeping.nextTimer(), nextSession), moves);
            return unit;
        });
    }

    /** Puts about {@code limit} tasks of schedules, in blocks; answers when there is more to do, 0 for never. */
    private long putScheduled(int limit, long now) {
        Optional<ScheduleRows.Place> place = Optional.of(ScheduleRows.Place.START);
        int left = limit;
        while (place.isPresent() && left > 0) {
            ScheduleRows.Place from = place.get();
            int most = left;
            ScheduleRows.Fired fired = writeAgain(unit -> new ScheduleRows(unit).fire(from, most, this::tellOnce));
            left -= fired.changed();
            for (String name : fired.addressed()) {
                left -= putAddressed(name);
            }
            place = fired.more();
        }
        long next = db.look(tx -> tx.number("next-run"));
        // What is left of those that were due is for another process, or waits for somebody.
        return place.isPresent() || next == 0 || next > now ? next : now + LOOK_AT_LEFT_SCHEDULES_EVERY;
    }

    private int putAddressed(String schedule) {
        try {
            int changed = writeAgain(unit -> new ScheduleRows(unit).fireAddressed(schedule));
            schedulesInDoubt.remove(schedule);
            return changed;
        } catch (AddressInDoubtException e) {
            if (schedulesInDoubt.add(schedule)) {
                log.warn(
                        "Schedule '{}' waits for a transaction that has put the address of its task and not ended",
                        schedule);
            }
            return 0;
        }
    }

    private void tellOnce(StorageException unreadable) {
        if (unreadableSchedules.add(String.valueOf(unreadable.getMessage()))) {
            log.warn("Nothing is put by this process for a schedule that is due: {}", unreadable.getMessage());
        }
    }

    /** @param nextRun of a schedule: whoever has seen to tasks alone may have promised a later moment meanwhile */
    private Optional<Duration> nextIn(long now, long nextRun) {
        long next = nextRun == 0 ? timetable.next() : Math.min(nextRun, timetable.next());
        if (groupEnds.isAnyHeld() || groupMoves.isAnyLeft() || followers.isAnyUnseen()) {
            next = Math.min(next, now + LOOK_AT_HELD_GROUPS_EVERY);
        }
        return next == Long.MAX_VALUE ? Optional.empty() : Optional.of(Times.duration(Math.max(0, next - now)));
    }

    /** Whether a moment has come, where 0 is never. */
    private static boolean isBy(long moment, long now) {
        return moment != 0 && moment <= now;
    }

    /** Whether so much time has passed; a clock that was set back counts as much. */
    private static boolean isOver(long since, long time, long now) {
        return Math.abs(now - since) >= time;
    }

    @Override
    public void close() {
        peers.close();
        signalServer.ifPresent(SignalServer::close);
        if (fastPath != null) {
            fastPath.close();
        }
        db.close();
    }

    // Turns

    private void run(Consumer<UnitOfWork> operation) {
        write(Db.Repeat.NEVER, returningNothing(operation));
    }

    private void runAgain(Consumer<UnitOfWork> operation) {
        write(Db.Repeat.HARMLESS, returningNothing(operation));
    }

    private static Function<UnitOfWork, UnitOfWork> returningNothing(Consumer<UnitOfWork> operation) {
        return unit -> {
            operation.accept(unit);
            return unit;
        };
    }

    private <T> T write(Function<UnitOfWork, T> operation) {
        return write(Db.Repeat.NEVER, operation);
    }

    /** For what does no harm when it is done twice. */
    private <T> T writeAgain(Function<UnitOfWork, T> operation) {
        return write(Db.Repeat.HARMLESS, operation);
    }

    private <T> T write(Db.Repeat repeat, Function<UnitOfWork, T> operation) {
        return told(db.write(repeat, tx -> done(tx, operation)));
    }

    private record Done<T>(UnitOfWork unit, T result) {}

    private <T> Done<T> done(Tx tx, Function<UnitOfWork, T> operation) {
        UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.WRITE);
        if (unit.isAnythingDue()) {
            new Sweeping(unit).catchUp(IN_PASSING);
        }
        ahead = unit.now - Times.micros(Instant.now());
        T result = operation.apply(unit);
        unit.finish();
        return new Done<>(unit, result);
    }

    private <T> T told(Done<T> done) {
        afterCommit(done.unit);
        return done.result;
    }

    private void afterCommit(UnitOfWork unit) {
        tellOf(unit);
        boolean isMore = groupMoves.goOn(unit.groups.begun());
        GroupEnds.Found found = groupEnds.lookAt(unit.groups.maybeOver());
        isMore |= followers.lookAfter(unit, found.waitedIn());
        if (found.isMore() || isMore) {
            wakeOwnSweeper();
        }
    }

    private void followed(UnitOfWork unit) {
        tellOf(unit);
        if (groupEnds.lookAt(unit.groups.maybeOver()).isMore()) {
            wakeOwnSweeper();
        }
    }

    /** Looks at the tasks as they are now: what time demands is done first. */
    private <T> T read(Function<UnitOfWork, T> operation) {
        record Seen<T>(boolean due, Optional<T> result) {}
        Seen<T> seen = db.read(tx -> {
            UnitOfWork unit = new UnitOfWork(tx, cache, Dialect.Access.READ);
            // A handler that looks at tasks while its transaction is the only writer sees them as they are.
            return unit.isAnythingDue() && !db.soleWriter().isThisThread()
                    ? new Seen<>(true, Optional.empty())
                    : new Seen<>(false, Optional.of(operation.apply(unit)));
        });
        return seen.due ? writeAgain(operation) : seen.result.orElseThrow();
    }

    /** Shortcuts do not look whether anything is due; a sweeper that is late must not make them miss it. */
    private void sweepIfDue() {
        long now = dialect.testClock()
                .map(clock -> Times.micros(clock.instant()))
                .orElseGet(() -> Times.micros(Instant.now()) + ahead - SWEEPER_PATIENCE);
        if (timetable.isDue(now)) {
            long moves = timetable.moves();
            runAgain(unit -> timetable.promise(new Sweeping(unit).nextTimer(), moves));
        }
    }

    private void tellOf(UnitOfWork unit) {
        unit.fresh().forEach(row -> {
            watermarks.lower(row.queue.id(), row.priority, row.id);
            peers.tellFresh(row.queue.name(), row.priority, row.id);
        });
        groupFolds.appended(unit.groups.counts.appended());
        boolean isAnyUntold = timetable.keep(unit.untold());
        unit.notices().forEach(this::tell);
        unit.newsHere().forEach(this::tellHere);
        if (timetable.isEarlier(unit.earliestTimer())) {
            tell(Notice.TimerMoved.INSTANCE);
        } else if (isAnyUntold) {
            wakeOwnSweeper();
        }
    }

    /** It has something to do that other processes know nothing of. */
    private void wakeOwnSweeper() {
        signal.send(Notice.TimerMoved.INSTANCE);
    }

    /** Those of this process who wait for the task: others find out by themselves. */
    private void tellHere(long taskId) {
        if (awaited.contains(taskId)) {
            signal.send(new Notice.TaskNews(taskId));
        }
    }

    private void tell(Notice notice) {
        signal.send(notice);
        peers.tell(notice);
    }

    private void tellTimer(long at) {
        if (at != 0 && timetable.isEarlier(at)) {
            tell(Notice.TimerMoved.INSTANCE);
        }
    }
}
