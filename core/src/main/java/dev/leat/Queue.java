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

/** A handle on one queue of a {@link Leat}, to configure and operate it. Cheap to make. */
public final class Queue {
    private final String name;
    private final Storage storage;
    private final Events events;
    private final WaitingConsumers waiting;
    private final Leat.AutoCreate autoCreate;

    /** The waiting takes of this process. */
    interface WaitingConsumers {
        int count(String queue);

        /** Reports the present counts to the storage. */
        void report();
    }

    Queue(String name, Storage storage, Events events, WaitingConsumers waiting, Leat.AutoCreate autoCreate) {
        this.name = Checks.queueName(name);
        this.storage = storage;
        this.events = events;
        this.waiting = waiting;
        this.autoCreate = autoCreate;
    }

    /** Returns a valid name, or throws: 1 to 128 ASCII letters, digits and {@code _ - . :}. */
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

    /** Makes a missing queue, and sets these options unless an operator has set others. */
    public QueueInfo declare(QueueOptions options) {
        return storage.queues().declare(name, options, QueueInfo.SetBy.CODE);
    }

    /** Returns the queue. Makes a missing queue with standard options, unless {@link Leat.AutoCreate#OFF} is set. */
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
            return ensure(); // another caller has made it
        }
    }

    /** Sets the options as an operator: {@link #declare} no longer changes them. */
    public QueueInfo configure(QueueOptions options) {
        return storage.queues().declare(name, options, QueueInfo.SetBy.OPERATOR);
    }

    /** Returns the queue with its options; empty when it does not exist. */
    public Optional<QueueInfo> info() {
        return storage.queues().find(name);
    }

    /** Stops takes until {@link #resume()}. Due times, ttl and time limits run on. */
    public void pause() {
        storage.queues().pause(name);
    }

    public void resume() {
        storage.queues().resume(name);
    }

    /** Removes the queue and its tasks; throws {@link QueueInUseException} while tasks are taken or consumers wait. */
    public void drop() {
        int consumers = waiting.count(name);
        if (consumers > 0) {
            throw new QueueInUseException(name, consumers + " consumers wait for its tasks");
        }
        waiting.report();
        storage.queues().drop(name);
    }

    /** Deletes all live tasks and returns how many. */
    public long truncate() {
        return storage.queues().truncate(name);
    }

    /** Revokes all leases of the queue and returns how many; the tasks are ready again. */
    public long releaseAll() {
        return storage.queues().releaseAll(name);
    }

    /** Kicks up to {@code count} buried tasks, by priority and age, and returns how many. */
    public int kick(int count) {
        return storage.kick(name, Checks.atLeast("count", 1, count)).size();
    }

    /** Counts the tasks in each state. Waiting consumers are counted as of the last heartbeat. */
    public QueueStats stats() {
        return storage.queues().stats(name);
    }

    /** Counts the tasks in each state by tenant and business group. It reads the tasks, up to 100,000 in each state. */
    public List<TenantStats> tenantStats() {
        return storage.queues().tenantStats(name);
    }

    /** Counts the calls of this process for the queue. */
    public CallCounts calls() {
        return events.calls(name);
    }
}
