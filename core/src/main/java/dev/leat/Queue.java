package dev.leat;

import dev.leat.error.QueueExistsException;
import dev.leat.error.QueueInUseException;
import dev.leat.error.QueueNotFoundException;
import dev.leat.internal.Checks;
import dev.leat.internal.Events;
import dev.leat.queue.CallCounts;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.TenantStats;
import dev.leat.storage.Storage;
import java.util.List;
import java.util.Optional;

/** One queue of a {@link Leat}, for those who set it up and look after it. Cheap; make one whenever needed. */
public final class Queue {
    private final String name;
    private final Storage storage;
    private final Events events;
    private final WaitingConsumers waiting;
    private final Leat.AutoCreate autoCreate;

    /** The takes of this process that wait. */
    interface WaitingConsumers {
        int count(String queue);

        /** Tells the storage how many there are now. */
        void report();
    }

    Queue(String name, Storage storage, Events events, WaitingConsumers waiting, Leat.AutoCreate autoCreate) {
        this.name = Checks.queueName(name);
        this.storage = storage;
        this.events = events;
        this.waiting = waiting;
        this.autoCreate = autoCreate;
    }

    /** Answers the name if it is a legal one: 1 to 128 of letters, digits and {@code _ - . :}. */
    public static String checkName(String name) {
        return Checks.queueName(name);
    }

    public String name() {
        return name;
    }

    /** Makes the queue, or throws {@link QueueExistsException}. */
    public QueueInfo create(QueueOptions options) {
        return storage.queues().create(name, options);
    }

    /** Makes the queue if it is missing, and gives it these options unless an operator has given it others. */
    public QueueInfo declare(QueueOptions options) {
        return storage.queues().declare(name, options, QueueInfo.SetBy.CODE);
    }

    /** The queue as it is; a missing one is made with standard options, unless this Leat may not. */
    public QueueInfo ensure() {
        Optional<QueueInfo> existing = info();
        if (existing.isPresent()) {
            return existing.get();
        }
        if (autoCreate == Leat.AutoCreate.OFF) {
            throw new QueueNotFoundException(name);
        }
        try {
            return create(QueueOptions.standard());
        } catch (QueueExistsException e) {
            return ensure(); // somebody else was faster
        }
    }

    /** An operator's word: these options hold from now on, whatever the code declares. */
    public QueueInfo configure(QueueOptions options) {
        return storage.queues().declare(name, options, QueueInfo.SetBy.OPERATOR);
    }

    /** The queue as it is configured; empty when it does not exist. */
    public Optional<QueueInfo> info() {
        return storage.queues().find(name);
    }

    /** Takes get nothing until {@link #resume()}; time goes on for the tasks. */
    public void pause() {
        storage.queues().pause(name);
    }

    public void resume() {
        storage.queues().resume(name);
    }

    /** Removes the queue and its tasks; refuses while tasks are taken or consumers wait. */
    public void drop() {
        int consumers = waiting.count(name);
        if (consumers > 0) {
            throw new QueueInUseException(name, consumers + " consumers wait for its tasks");
        }
        waiting.report();
        storage.queues().drop(name);
    }

    /** Deletes every live task, and answers how many there were. */
    public long truncate() {
        return storage.queues().truncate(name);
    }

    /** Takes every lease of the queue away and answers how many; the tasks are ready again. */
    public long releaseAll() {
        return storage.queues().releaseAll(name);
    }

    /** Frees up to {@code count} buried tasks, the most important and oldest first, and answers how many. */
    public int kick(int count) {
        return storage.kick(name, Checks.atLeast("count", 1, count)).size();
    }

    /** How many tasks are in each state; waiting consumers are those of the last heartbeat. */
    public QueueStats stats() {
        return storage.queues().stats(name);
    }

    /** How many tasks of each tenant and business group are in each state. Reads the tasks, up to 100,000 in each state. */
    public List<TenantStats> tenantStats() {
        return storage.queues().tenantStats(name);
    }

    /** What this process did to the queue's tasks. */
    public CallCounts calls() {
        return events.calls(name);
    }
}
