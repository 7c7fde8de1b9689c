package dev.leat.sql.internal.work;

import dev.leat.TaskEvent;
import dev.leat.sql.internal.jdbc.Dialect;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.row.QueueCache;
import dev.leat.sql.internal.row.TaskRow;
import dev.leat.sql.internal.row.TaskRowMapper;
import dev.leat.storage.Notice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One call of the storage: its transaction, its time, the rows that it loads and changes, and the notices to send after the commit. Used by one
 * thread.
 */
public final class UnitOfWork {
    public final Tx tx;
    final Dialect.Access access;
    /** The database's time at the start, in microseconds. */
    public final long now;
    /** The next timer at the start; 0 for none. */
    final long nextTimer;

    public final QueueRows queues;
    public final TaskRowMapper rows;
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

    /** @param access whether loaded rows are only read, or locked */
    public UnitOfWork(Tx tx, QueueCache cache, Dialect.Access access) {
        this.tx = tx;
        this.access = access;
        Moment moment = tx.first("moment", row -> new Moment(row.getLong(1), row.getLong(2)))
                .orElseThrow();
        this.now = moment.now;
        this.nextTimer = moment.nextTimer;
        this.queues = new QueueRows(this, cache);
        this.rows = new TaskRowMapper(queues::byId);
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

    /** Writes all changes that are still in memory. Called last. */
    public void finish() {
        tasks.flush();
        groups.counts.flush();
        dependencies.flush();
    }

    /** The place of a task in a queue with random takes; never 0. */
    public long randomPlace() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    // To send after the commit

    /** The queue may have a ready task, or space for a put. */
    public void ready(String queue) {
        readyQueues.add(queue);
    }

    /** Called for each row that was inserted as READY. */
    public void fresh(TaskRow row) {
        fresh.add(row);
    }

    public List<TaskRow> fresh() {
        return fresh;
    }

    public void notice(Notice notice) {
        otherNotices.add(notice);
    }

    /** Notifies the waiters of a task after the commit. Other processes are notified of tasks with an address only. */
    public void notifyWaiters(TaskRow row) {
        if (row.given.address().isPresent()) {
            notice(new Notice.TaskNews(row.id));
        } else {
            newsHere.add(row.id);
        }
    }

    /** The waiters of these tasks in this process have to be notified. Other processes poll. */
    public void newsHere(List<Long> taskIds) {
        newsHere.addAll(taskIds);
    }

    public List<Long> newsHere() {
        return newsHere;
    }

    /** Keeps a task change that the call does not return, for the next sweep. */
    public void addEvent(TaskEvent event) {
        untold.add(event);
    }

    /** A timer was set to {@code at}; 0 is none. */
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
