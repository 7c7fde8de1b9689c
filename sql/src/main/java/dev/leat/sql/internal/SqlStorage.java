package dev.leat.sql.internal;

import dev.leat.Attempt;
import dev.leat.Equivalence;
import dev.leat.Lease;
import dev.leat.NewTask;
import dev.leat.Outcome;
import dev.leat.PurgeOptions;
import dev.leat.PutResult;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskEvent;
import dev.leat.TaskQuery;
import dev.leat.Touch;
import dev.leat.sql.internal.engine.Engine;
import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.fast.LostTakes;
import dev.leat.sql.internal.fast.Watermarks;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.jdbc.Migrations;
import dev.leat.sql.internal.jdbc.Statements;
import dev.leat.sql.internal.jdbc.Tables;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.operation.Lookups;
import dev.leat.sql.internal.operation.Operators;
import dev.leat.sql.internal.operation.Settling;
import dev.leat.sql.internal.peers.AwaitedTasks;
import dev.leat.sql.internal.peers.ForeignChanges;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.peers.SignalServer;
import dev.leat.sql.internal.peers.SignalledPeers;
import dev.leat.sql.internal.peers.SqlSignal;
import dev.leat.sql.internal.peers.Watcher;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.RowStatements;
import dev.leat.sql.internal.upkeep.ClockOffset;
import dev.leat.sql.internal.upkeep.NextTimer;
import dev.leat.sql.internal.upkeep.Partitions;
import dev.leat.sql.internal.upkeep.PurgeRuns;
import dev.leat.sql.internal.upkeep.SweepRun;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.CallerTransaction;
import dev.leat.storage.Capability;
import dev.leat.storage.Finding;
import dev.leat.storage.GroupStorage;
import dev.leat.storage.HandlerTransaction;
import dev.leat.storage.Lock;
import dev.leat.storage.Notice;
import dev.leat.storage.QueueStorage;
import dev.leat.storage.Redriven;
import dev.leat.storage.ScheduleStorage;
import dev.leat.storage.SessionStorage;
import dev.leat.storage.Signal;
import dev.leat.storage.Storage;
import dev.leat.storage.SubscriptionStorage;
import dev.leat.storage.Sweep;
import dev.leat.storage.TaskStatus;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A storage in an SQL database. Each call is one {@link UnitOfWork} or one statement of the fast path; its notices are sent after the commit.
 *
 * <p>Safe from any thread. One daemon thread watches the changes of other processes, from the first listener until close.
 */
public final class SqlStorage implements Storage {
    private final Engine dialect;
    private final Db db;
    private final QueueCache cache = new QueueCache();
    private final AwaitedTasks awaited = new AwaitedTasks();
    private final NextTimer nextTimer = new NextTimer();
    private final Lock lock;
    private final Optional<SignalServer> signalServer;
    private final SqlSignal signal;
    private final Peers peers;
    private final AfterCommit afterCommit;
    private final UnitRunner units;
    private final @Nullable FastPath fastPath;
    private final SqlPuts puts;
    private final SqlTakes takes;
    private final SqlSettles settles;
    private final SqlQueues queues;
    private final SqlSessions sessions;
    private final SqlGroups groups;
    private final SqlSubscriptions subscriptions;
    private final SqlSchedules schedules;
    private final SweepRun sweepRun;

    private SqlStorage(Engine dialect, Db db, Tables tables, PurgeOptions purge, Optional<SignalServer> signalServer) {
        this.dialect = dialect;
        this.db = db;
        this.signalServer = signalServer;
        SqlLock databaseLock = new SqlLock(db);
        this.lock = signalServer.map(SignalServer::lock).orElse(databaseLock);
        Watermarks watermarks = new Watermarks();
        this.signal = new SqlSignal(dialect.missInterval(), this::listen);
        this.peers = peers(tables, new PeerNotices(cache, watermarks, signal));
        this.afterCommit = new AfterCommit(db, cache, signal, peers, watermarks, awaited, nextTimer);
        ClockOffset clock = new ClockOffset();
        this.units = new UnitRunner(dialect, db, cache, nextTimer, clock, afterCommit);
        LostTakes lostTakes = new LostTakes(db, cache);
        this.fastPath = dialect.hasFastPath() ? new FastPath(db, cache, watermarks, lostTakes, afterCommit) : null;
        this.puts = new SqlPuts(units, fastPath);
        this.takes = new SqlTakes(units, fastPath, lostTakes, afterCommit);
        this.settles = new SqlSettles(units, fastPath);
        Partitions partitions = dialect.hasPartitions() ? new Partitions(db) : null;
        this.queues = new SqlQueues(units, partitions);
        this.sessions = new SqlSessions(db, units, fastPath);
        this.groups = new SqlGroups(units, puts);
        this.subscriptions = new SqlSubscriptions(units);
        this.schedules = new SqlSchedules(units);
        PurgeRuns purgeRuns = new PurgeRuns(databaseLock, purge, units, partitions);
        this.sweepRun = new SweepRun(db, units, nextTimer, clock, lostTakes, afterCommit.groups(), purgeRuns);
    }

    private Peers peers(Tables tables, Peers.Hearer hearer) {
        Peers known = dialect.peers(db, tables, hearer, this::watcher);
        return signalServer
                .<Peers>map(server -> new SignalledPeers(known, server.signal(), hearer))
                .orElse(known);
    }

    private Watcher watcher() {
        ForeignChanges changes = new ForeignChanges(db, signal::send, nextTimer::isEarlier, awaited::chunks);
        return new Watcher(changes::look, signal::isAnybodyListening, () -> dialect.fileWatch(db));
    }

    private void listen() {
        peers.listen();
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

    // Parts

    @Override
    public QueueStorage queues() {
        return queues;
    }

    @Override
    public SessionStorage sessions() {
        return sessions;
    }

    @Override
    public GroupStorage groups() {
        return groups;
    }

    @Override
    public SubscriptionStorage subscriptions() {
        return subscriptions;
    }

    @Override
    public ScheduleStorage schedules() {
        return schedules;
    }

    // Properties

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
        return lock;
    }

    @Override
    public List<Finding> examine() {
        return Examination.of(db);
    }

    // Transactions

    @Override
    public CallerTransaction with(Connection connection) {
        return new JoinedTransaction(connection, db, cache, peers, afterCommit::joined);
    }

    @Override
    public HandlerTransaction begin() {
        return new SqlHandlerTransaction(db, cache, afterCommit, settles, sessions);
    }

    // Tasks

    @Override
    public List<PutResult> put(List<NewTask> tasks) {
        return puts.put(tasks);
    }

    @Override
    public List<TakenTask> take(TakeRequest request) {
        return takes.take(request);
    }

    @Override
    public List<SettleResult> settle(List<Settle> settles) {
        return this.settles.settle(settles);
    }

    @Override
    public List<Touch.Result> touch(List<Touch> touches) {
        return units.write(unit -> new Settling(unit).touch(touches));
    }

    @Override
    public Optional<Task> peek(long taskId) {
        return units.read(unit -> new Lookups(unit).peek(taskId));
    }

    @Override
    public List<Task> list(TaskQuery query) {
        return units.read(unit -> new Lookups(unit).list(query));
    }

    @Override
    public List<Attempt> attempts(long taskId) {
        return units.read(unit -> new Lookups(unit).attempts(taskId));
    }

    @Override
    public int countBuried(TaskQuery query, int most) {
        return units.read(unit -> new Lookups(unit).countBuried(query, most));
    }

    @Override
    public Redriven redrive(TaskQuery query) {
        return units.write(unit -> new Operators(unit).redrive(query));
    }

    @Override
    public List<TaskEvent> kick(String queue, int count) {
        return units.write(unit -> new Operators(unit).kick(queue, count));
    }

    @Override
    public TaskEvent kick(long taskId) {
        return units.write(unit -> new Operators(unit).kick(taskId));
    }

    @Override
    public TaskEvent delete(long taskId) {
        return units.write(unit -> new Operators(unit).delete(taskId));
    }

    @Override
    public TaskEvent cancel(long taskId, String reason) {
        return units.write(unit -> new Operators(unit).cancel(taskId, reason));
    }

    @Override
    public TaskEvent bury(long taskId, String message) {
        return units.write(unit -> new Operators(unit).bury(taskId, message));
    }

    @Override
    public OptionalLong findAddress(String queue, String address) {
        return units.read(unit -> new Lookups(unit).findAddress(queue, address));
    }

    @Override
    public Optional<Outcome> outcome(long taskId) {
        return units.read(unit -> new Lookups(unit).outcome(taskId));
    }

    @Override
    public Map<Long, TaskStatus> statuses(Set<Long> taskIds) {
        awaited.expect(taskIds);
        Map<Long, TaskStatus> statuses = units.read(unit -> new Lookups(unit).standings(taskIds));
        awaited.learn(statuses).forEach(id -> signal.send(new Notice.TaskNews(id)));
        return statuses;
    }

    @Override
    public Map<String, Long> findAddresses(String queue, Set<String> addresses) {
        return units.read(unit -> new Lookups(unit).findAddresses(queue, addresses));
    }

    @Override
    public boolean chunk(Lease lease, int number) {
        return units.writeAgain(unit -> new Settling(unit).chunk(lease, number));
    }

    @Override
    public List<Task> findEquivalent(Equivalence equivalence) {
        return units.read(unit -> new Lookups(unit).findEquivalent(equivalence));
    }

    @Override
    public Sweep.Result sweep(Sweep sweep) {
        return sweepRun.sweep(sweep);
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
}
