package dev.leat.sql.internal;

import dev.leat.sql.internal.fast.FastPath;
import dev.leat.sql.internal.fast.Watermarks;
import dev.leat.sql.internal.jdbc.Db;
import dev.leat.sql.internal.peers.AwaitedTasks;
import dev.leat.sql.internal.peers.Peers;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.QueueRow;
import dev.leat.sql.internal.upkeep.GroupUpkeep;
import dev.leat.sql.internal.upkeep.NextTimer;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.Notice;
import dev.leat.storage.Signal;
import java.util.Optional;

/**
 * What follows a commit: notices to this process and to its peers, lower watermarks, and the upkeep of groups. Units of work and the fast path
 * report here. Safe from any thread.
 */
final class AfterCommit implements FastPath.Listener, GroupUpkeep.Listener {
    private final Signal signal;
    private final Peers peers;
    private final Watermarks watermarks;
    private final AwaitedTasks awaited;
    private final NextTimer nextTimer;
    private final GroupUpkeep groups;

    AfterCommit(
            Db db,
            QueueCache cache,
            Signal signal,
            Peers peers,
            Watermarks watermarks,
            AwaitedTasks awaited,
            NextTimer nextTimer) {
        this.signal = signal;
        this.peers = peers;
        this.watermarks = watermarks;
        this.awaited = awaited;
        this.nextTimer = nextTimer;
        this.groups = new GroupUpkeep(db, cache, this);
    }

    GroupUpkeep groups() {
        return groups;
    }

    // Units of work

    @Override
    public void committed(UnitOfWork unit) {
        tell(unit);
        groups.goOn(unit);
    }

    @Override
    public void tell(UnitOfWork unit) {
        unit.fresh().forEach(row -> {
            watermarks.lower(row.queue.id(), row.priority, row.id);
            peers.tellFresh(row.queue.name(), row.priority, row.id);
        });
        groups.countRows(unit);
        boolean isAnyUntold = nextTimer.keep(unit.untold());
        unit.notices().forEach(this::tellAll);
        unit.newsHere().forEach(this::tellAwaitingHere);
        if (nextTimer.isEarlier(unit.earliestTimer())) {
            tellAll(Notice.TimerMoved.INSTANCE);
        } else if (isAnyUntold) {
            wakeSweeper();
        }
    }

    /** A unit of work became part of a caller's transaction. Sweeps see its tasks once the caller has committed. */
    void joined(UnitOfWork unit) {
        if (!unit.dependencies.unsure().isEmpty()) {
            groups.lookLater(unit.dependencies.unsure());
            wakeSweeper();
        }
    }

    // The fast path

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
            tellAll(new Notice.TaskNews(id));
        } else {
            tellAwaitingHere(id);
        }
    }

    @Override
    public void ready(QueueRow queue) {
        tellAll(new Notice.Ready(queue.name()));
    }

    @Override
    public void timer(long at) {
        if (at != 0 && nextTimer.isEarlier(at)) {
            tellAll(Notice.TimerMoved.INSTANCE);
        }
    }

    // Notices

    private void tellAll(Notice notice) {
        signal.send(notice);
        peers.tell(notice);
    }

    /** Tells the callers of this process that wait for the task. Other processes find out by looking. */
    private void tellAwaitingHere(long taskId) {
        if (awaited.contains(taskId)) {
            signal.send(new Notice.TaskNews(taskId));
        }
    }

    /** The sweeper of this process has work that other processes do not know of. */
    @Override
    public void wakeSweeper() {
        signal.send(Notice.TimerMoved.INSTANCE);
    }
}
