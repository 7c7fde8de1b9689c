package dev.leat.sql.internal;

import dev.leat.AddressInDoubtException;
import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.EquivalentInDoubtException;
import dev.leat.GroupInfo;
import dev.leat.GroupNotFoundException;
import dev.leat.GroupSpec;
import dev.leat.Lease;
import dev.leat.LeatException;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PurgeOptions;
import dev.leat.PutOutcomeUnknownException;
import dev.leat.PutResult;
import dev.leat.QueueInfo;
import dev.leat.QueueOptions;
import dev.leat.QueueStats;
import dev.leat.Schedule;
import dev.leat.ScheduleInfo;
import dev.leat.ScheduleQuery;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.StorageException;
import dev.leat.Subscription;
import dev.leat.SubscriptionQuery;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.TenantStats;
import dev.leat.Touch;
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
import dev.leat.storage.Standing;
import dev.leat.storage.Storage;
import dev.leat.storage.Sweep;
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
 * A storage in an SQL database: each call is one {@link Turn}, and what it changed is told after its commit.
 *
 * <p>Safe from any thread. One daemon thread watches what other processes do, from the first listener until close.
 */
final class SqlStorage implements Storage {
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
    private final Neighbours neighbours;
    private final Marks marks = new Marks();
    private final AwaitedTasks awaited = new AwaitedTasks();
    private final LostTakes lostTakes;
    private final GroupMoves groupMoves;
    private final GroupEnds groupEnds;
    private final GroupFolds groupFolds;
    private final Followers followers;
    private final SecureRandom nonces = new SecureRandom();
    private final @Nullable Shortcuts shortcuts;
    private final @Nullable Partitions partitions;
    private final PurgeRuns purgeRuns;
    private final Timetable timetable = new Timetable();

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
        this.neighbours = neighbours(tables);
        this.lostTakes = new LostTakes(db, cache);
        this.groupMoves = new GroupMoves(db, cache, this::afterCommit);
        this.groupEnds = new GroupEnds(db, cache, this::tellOf);
        this.groupFolds = new GroupFolds(db);
        this.followers = new Followers(db, cache, this::followed);
        this.shortcuts =
                dialect.hasShortcuts() ? new Shortcuts(db, cache, marks, lostTakes, new ShortcutListener()) : null;
        this.partitions = dialect.hasPartitions() ? new Partitions(db) : null;
        this.purgeRuns = new PurgeRuns(lock, purge, new Purger());
    }

    private final class ShortcutListener implements Shortcuts.Listener {
        @Override
        public Optional<Neighbours.Announcement> announceFresh(QueueRow queue, int priority) {
            return neighbours.announceFresh(queue.name(), priority);
        }

        @Override
        public void announced(long nanos) {
            neighbours.announced(nanos);
        }

        @Override
        public void fresh(QueueRow queue, int priority, long id, boolean isAnnounced) {
            marks.lower(queue.id(), priority, id);
            if (!isAnnounced) {
                neighbours.tellFresh(queue.name(), priority, id);
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
            return writeAgain(turn -> new Purging(turn, limit).run());
        }

        @Override
        public PurgeRuns.Removed days(int limit, long now) {
            return partitions == null ? new PurgeRuns.Removed(0, 0, false) : partitions.keepUp(now, limit);
        }
    }

    private Neighbours neighbours(Tables tables) {
        NeighboursHearer hearer = new NeighboursHearer();
        Neighbours known = dialect.neighbours(db, tables, hearer, this::watcher);
        return signalServer
                .<Neighbours>map(server -> new SignalledNeighbours(known, server.signal(), hearer))
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
        News news = new News(db, signal::send, timetable::isEarlier, awaited::chunks);
        return new Watcher(news::look, signal::isAnybodyListening, () -> dialect.doorbell(db));
    }

    private void listen() {
        neighbours.listen();
    }

    private final class NeighboursHearer implements Neighbours.Hearer {
        @Override
        public void hear(Notice notice) {
            signal.send(notice);
        }

        @Override
        public void hearFresh(String queue, int priority, long id) {
            QueueRow known = cache.latest(queue);
            if (known != null) {
                marks.lower(known.id(), priority, id);
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
        return new JoinedTransaction(connection, db, cache, neighbours, this::joined);
    }

    /** Tasks of a caller's transaction that wait for others can be looked at only once he has committed. */
    private void joined(Turn turn) {
        if (!turn.dependencies.unsure().isEmpty()) {
            followers.later(turn.dependencies.unsure());
            wakeOwnSweeper();
        }
    }

    @Override
    public HandlerTransaction begin() {
        return new SqlHandlerTransaction(db, cache, new HandlerSurroundings());
    }

    private final class HandlerSurroundings implements SqlHandlerTransaction.Surroundings {
        @Override
        public void committed(Turn turn) {
            afterCommit(turn);
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
        return prepared(write(turn -> turn.queues.create(queue, options).info()));
    }

    @Override
    public QueueInfo declareQueue(String queue, QueueOptions options, QueueInfo.SetBy setBy) {
        return prepared(
                writeAgain(turn -> turn.queues.declare(queue, options, setBy).info()));
    }

    private QueueInfo prepared(QueueInfo queue) {
        if (partitions != null) {
            partitions.prepare(queue.options().retention());
        }
        return queue;
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
        runAgain(turn -> turn.queues.pause(queue));
    }

    @Override
    public void resume(String queue) {
        runAgain(turn -> turn.queues.resume(queue));
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
        Optional<List<PutResult>> atOnce = shortcuts == null ? Optional.empty() : shortcuts.put(tasks);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        return put(tasks, puts -> puts.put(tasks));
    }

    private <T> T put(List<NewTask> tasks, Function<Puts, T> put) {
        try {
            return write(turn -> put.apply(new Puts(turn)));
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
        if (shortcuts != null) {
            sweepIfDue();
            atOnce = shortcuts.take(request);
        }
        return atOnce.isPresent() ? atOnce.get() : takeInTurn(request);
    }

    private List<TakenTask> takeInTurn(TakeRequest request) {
        for (int takes = 1; ; takes++) {
            long nonce = nonces.nextLong();
            try {
                return write(turn -> new Takes(turn, nonce, tenantTurns).take(request));
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
        if (shortcuts == null) {
            return writeAgain(turn -> new Settling(turn).settle(settles));
        }
        sweepIfDue();
        Map<Long, SettleResult> acked =
                shortcuts.ack(Settling.silentAcks(settles).values());
        List<Settle> others = settles.stream()
                .filter(settle -> !acked.containsKey(settle.lease().taskId()))
                .toList();
        Iterator<SettleResult> rest = others.isEmpty()
                ? Collections.emptyIterator()
                : writeAgain(turn -> new Settling(turn).settle(others)).iterator();
        return settles.stream()
                .map(settle -> {
                    SettleResult result = acked.get(settle.lease().taskId());
                    return result != null ? result : rest.next();
                })
                .toList();
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
    public int countBuried(TaskQuery query, int most) {
        return read(turn -> new Lookups(turn).countBuried(query, most));
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        return write(turn -> new Operators(turn).redrive(query));
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
    public Map<Long, Standing> standings(Set<Long> taskIds) {
        awaited.expect(taskIds);
        Map<Long, Standing> standings = read(turn -> new Lookups(turn).standings(taskIds));
        awaited.learn(standings).forEach(id -> signal.send(new Notice.TaskNews(id)));
        return standings;
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        return read(turn -> new Lookups(turn).findAddresses(queue, addresses));
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        return writeAgain(turn -> new Settling(turn).chunk(lease, number));
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

    @Override
    public List<TenantStats> tenantStats(String queue) {
        return read(turn -> new Counts(turn).tenantStats(turn.queues.get(queue)));
    }

    // Sessions

    @Override
    public String openSession(SessionSpec spec) {
        return write(turn -> new Sessions(turn).open(spec));
    }

    @Override
    public HeartbeatReply heartbeat(String session, Map<String, Integer> waiting) {
        if (shortcuts != null) {
            return shortcuts.heartbeat(session, waiting);
        }
        while (!db.soleWriter().note(session, waiting)) {
            Optional<Done<HeartbeatReply>> done = db.tryWrite(
                    Db.Repeat.HARMLESS, tx -> done(tx, turn -> new Sessions(turn).heartbeat(session, waiting)));
            if (done.isPresent()) {
                return told(done.get());
            }
        }
        return HeartbeatReply.later();
    }

    @Override
    public List<Lease> leases(String session) {
        return read(turn -> new Sessions(turn).leases(session));
    }

    @Override
    public void disconnect(String session) {
        runAgain(turn -> new Sessions(turn).disconnect(session));
    }

    @Override
    public List<TaskEvent> closeSession(String session) {
        return write(turn -> new Sessions(turn).close(session));
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
        return write(turn -> new SubscriptionRows(turn).put(subscription));
    }

    @Override
    public Optional<Subscription> subscription(String id) {
        return read(turn -> new SubscriptionRows(turn).find(id));
    }

    @Override
    public List<Subscription> subscriptions(SubscriptionQuery query) {
        return read(turn -> new SubscriptionRows(turn).list(query));
    }

    @Override
    public Optional<Subscription> enableSubscription(String id) {
        return writeAgain(turn -> new SubscriptionRows(turn).enable(id));
    }

    @Override
    public Optional<Subscription> disableSubscription(String id, String reason, Optional<String> sentTo) {
        return writeAgain(turn -> new SubscriptionRows(turn).disable(id, reason, sentTo));
    }

    @Override
    public boolean dropSubscription(String id) {
        return write(turn -> new SubscriptionRows(turn).drop(id));
    }

    // Schedules

    @Override
    public ScheduleInfo putSchedule(Schedule schedule, QueueInfo.SetBy setBy) {
        return writeAgain(turn -> new ScheduleRows(turn).put(schedule, setBy));
    }

    @Override
    public Optional<ScheduleInfo> schedule(String name) {
        return read(turn -> new ScheduleRows(turn).find(name));
    }

    @Override
    public List<ScheduleInfo> schedules(ScheduleQuery query) {
        return read(turn -> new ScheduleRows(turn).list(query));
    }

    @Override
    public ScheduleInfo pauseSchedule(String name) {
        return writeAgain(turn -> new ScheduleRows(turn).pause(name));
    }

    @Override
    public ScheduleInfo resumeSchedule(String name) {
        return writeAgain(turn -> new ScheduleRows(turn).resume(name));
    }

    @Override
    public PutResult triggerSchedule(String name) {
        try {
            return write(turn -> new ScheduleRows(turn).trigger(name));
        } catch (Tx.Failure e) {
            throw e.isInDoubt() ? new PutOutcomeUnknownException(e) : e;
        }
    }

    @Override
    public boolean dropSchedule(String name) {
        return write(turn -> new ScheduleRows(turn).drop(name));
    }

    // Groups

    @Override
    public GroupInfo createGroup(GroupSpec spec) {
        return write(turn -> turn.groups.create(spec));
    }

    @Override
    public GroupPut putGroup(GroupSpec spec, List<NewTask> tasks) {
        return put(tasks, puts -> puts.putGroup(spec, tasks));
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
        run(turn -> turn.groups.start(groupId));
        return info(groupId);
    }

    @Override
    public GroupInfo cancelGroup(long groupId, String reason) {
        run(turn -> turn.groups.cancel(groupId, reason));
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
        Asked asked = new Asked(dialect);
        if (lostTakes.isAnyUnfound()) {
            writeAgain(lostTakes::giveBack).run();
        }
        long moves = timetable.moves();
        Glance glance = db.look(tx -> tx.first(
                        "glance",
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
        PurgeRuns.Removed purged = purgeRuns.turn(sweep, glance.now);
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

    private void sweepAll(Sweep sweep, Asked asked) {
        long moves = timetable.moves();
        writeAgain(turn -> {
            Sweeping sweeping = new Sweeping(turn);
            sweeping.catchUp(sweep.limit());
            long nextSession = new Sessions(turn).sweep(sweep.sessions(), asked.at(turn));
            timetable.promise(Times.earlier(sweeping.nextTimer(), nextSession), moves);
            return turn;
        });
    }

    /** Puts about {@code limit} tasks of schedules, in blocks; answers when there is more to do, 0 for never. */
    private long putScheduled(int limit, long now) {
        Optional<ScheduleRows.Place> place = Optional.of(ScheduleRows.Place.START);
        int left = limit;
        while (place.isPresent() && left > 0) {
            ScheduleRows.Place from = place.get();
            int most = left;
            ScheduleRows.Fired fired = writeAgain(turn -> new ScheduleRows(turn).fire(from, most, this::tellOnce));
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
            int changed = writeAgain(turn -> new ScheduleRows(turn).fireAddressed(schedule));
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
        neighbours.close();
        signalServer.ifPresent(SignalServer::close);
        if (shortcuts != null) {
            shortcuts.close();
        }
        db.close();
    }

    // Turns

    private void run(Consumer<Turn> operation) {
        write(Db.Repeat.NEVER, returningNothing(operation));
    }

    private void runAgain(Consumer<Turn> operation) {
        write(Db.Repeat.HARMLESS, returningNothing(operation));
    }

    private static Function<Turn, Turn> returningNothing(Consumer<Turn> operation) {
        return turn -> {
            operation.accept(turn);
            return turn;
        };
    }

    private <T> T write(Function<Turn, T> operation) {
        return write(Db.Repeat.NEVER, operation);
    }

    /** For what does no harm when it is done twice. */
    private <T> T writeAgain(Function<Turn, T> operation) {
        return write(Db.Repeat.HARMLESS, operation);
    }

    private <T> T write(Db.Repeat repeat, Function<Turn, T> operation) {
        return told(db.write(repeat, tx -> done(tx, operation)));
    }

    private record Done<T>(Turn turn, T result) {}

    private <T> Done<T> done(Tx tx, Function<Turn, T> operation) {
        Turn turn = new Turn(tx, cache, Dialect.Access.WRITE);
        if (turn.isAnythingDue()) {
            new Sweeping(turn).catchUp(IN_PASSING);
        }
        ahead = turn.now - Times.micros(Instant.now());
        T result = operation.apply(turn);
        turn.finish();
        return new Done<>(turn, result);
    }

    private <T> T told(Done<T> done) {
        afterCommit(done.turn);
        return done.result;
    }

    private void afterCommit(Turn turn) {
        tellOf(turn);
        boolean isMore = groupMoves.goOn(turn.groups.begun());
        GroupEnds.Found found = groupEnds.lookAt(turn.groups.maybeOver());
        isMore |= followers.lookAfter(turn, found.waitedIn());
        if (found.isMore() || isMore) {
            wakeOwnSweeper();
        }
    }

    private void followed(Turn turn) {
        tellOf(turn);
        if (groupEnds.lookAt(turn.groups.maybeOver()).isMore()) {
            wakeOwnSweeper();
        }
    }

    /** Looks at the tasks as they are now: what time demands is done first. */
    private <T> T read(Function<Turn, T> operation) {
        record Seen<T>(boolean due, Optional<T> result) {}
        Seen<T> seen = db.read(tx -> {
            Turn turn = new Turn(tx, cache, Dialect.Access.READ);
            // A handler that looks at tasks while its transaction is the only writer sees them as they are.
            return turn.isAnythingDue() && !db.soleWriter().isThisThread()
                    ? new Seen<>(true, Optional.empty())
                    : new Seen<>(false, Optional.of(operation.apply(turn)));
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
            runAgain(turn -> timetable.promise(new Sweeping(turn).nextTimer(), moves));
        }
    }

    private void tellOf(Turn turn) {
        turn.fresh().forEach(row -> {
            marks.lower(row.queue.id(), row.priority, row.id);
            neighbours.tellFresh(row.queue.name(), row.priority, row.id);
        });
        groupFolds.appended(turn.groups.counts.appended());
        boolean isAnyUntold = timetable.keep(turn.untold());
        turn.notices().forEach(this::tell);
        turn.newsHere().forEach(this::tellHere);
        if (timetable.isEarlier(turn.earliestTimer())) {
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
        neighbours.tell(notice);
    }

    private void tellTimer(long at) {
        if (at != 0 && timetable.isEarlier(at)) {
            tell(Notice.TimerMoved.INSTANCE);
        }
    }
}
