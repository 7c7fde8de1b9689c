package dev.leat.sql.internal.work;

import dev.leat.TaskEvent;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.Rows;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.storage.Notice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One call of the storage: a transaction, the moment it happens at, the rows it has touched, and what is to be told once
 * it is committed. Used by one thread.
 */
public final class UnitOfWork {
    public final Tx tx;
    final Dialect.Access access;
    /** The database's time at the beginning, in microseconds. */
    public final long now;
    /** When time changes a task next; 0 when never. */
    final long nextTimer;

    public final QueueRows queues;
    public final Rows rows;
    public final LoadedTasks tasks;
    public final GroupRows groups;
    public final Dependencies dependencies;
    public final RowLifecycle lifecycle;

    private final Set<String> readyQueues = new LinkedHashSet<>(2);
    private final List<Notice> otherNotices = new ArrayList<>(0);
    private final List<TaskEvent> untold = new ArrayList<>(0);
    private final List<TaskRow> fresh = new ArrayList<>(0);
    private final List<Long> newsHere = new ArrayList<>(0);
    private long earliestTimer = Long.MAX_VALUE;

    private record Moment(long now, long nextTimer) {}

    /** @param access whether rows are only looked at, or kept from changing under this turn */
    public UnitOfWork(Tx tx, QueueCache cache, Dialect.Access access) {
        this.tx = tx;
        this.access = access;
        Moment moment = tx.first("moment", row -> new Moment(row.getLong(1), row.getLong(2)))
                .orElseThrow();
        this.now = moment.now;
        this.nextTimer = moment.nextTimer;
        this.queues = new QueueRows(this, cache);
        this.rows = new Rows(queues::byId);
        this.tasks = new LoadedTasks(this);
        this.groups = new GroupRows(this);
        this.dependencies = new Dependencies(this);
        this.lifecycle = new RowLifecycle(this);
    }

    public Instant instant() {
        return Times.instant(now);
    }

    public boolean isAnythingDue() {
        return nextTimer != 0 && nextTimer <= now;
    }

    /** Writes what is still in memory; nothing is changed after this. */
    public void finish() {
        tasks.flush();
        groups.counts.flush();
        dependencies.flush();
    }

    /** A number to order a task by where takes are random; never 0. */
    public long randomPlace() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    // What to tell after the commit

    /** The queue may have a task to take, or space for one. */
    public void ready(String queue) {
        readyQueues.add(queue);
    }

    /** A row was inserted ready. */
    public void fresh(TaskRow row) {
        fresh.add(row);
    }

    public List<TaskRow> fresh() {
        return fresh;
    }

    public void notice(Notice notice) {
        otherNotices.add(notice);
    }

    /**
     * There is news for those who wait for the task. Whether any do in other processes nobody knows: they are told of tasks with an address
     * only.
     */
    public void news(TaskRow row) {
        if (row.given.address().isPresent()) {
            notice(new Notice.TaskNews(row.id));
        } else {
            newsHere.add(row.id);
        }
    }

    /** The same of tasks that others find out about by looking. */
    public void newsHere(List<Long> taskIds) {
        newsHere.addAll(taskIds);
    }

    /** The tasks that those in this process may wait for. */
    public List<Long> newsHere() {
        return newsHere;
    }

    /** A change that no call answers for is told by the next sweep. */
    public void tellLater(TaskEvent event) {
        untold.add(event);
    }

    /** Time will change something at {@code at}; 0 is never. */
    public void timer(long at) {
        if (at != 0 && at < earliestTimer) {
            earliestTimer = at;
        }
    }

    public long earliestTimer() {
        return earliestTimer;
    }

    public List<TaskEvent> untold() {
        return untold;
    }

    public List<Notice> notices() {
        List<Notice> all = new ArrayList<>(otherNotices);
        readyQueues.forEach(queue -> all.add(new Notice.Ready(queue)));
        return all;
    }
}
