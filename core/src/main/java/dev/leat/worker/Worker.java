package dev.leat.worker;

import dev.leat.Task;
import dev.leat.queue.TakeOrder;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Takes tasks from queues and runs their handlers until it is stopped. Made by {@link dev.leat.Leat#worker()}.
 *
 * <p>Handlers run on the worker's processors: virtual threads where the JVM has them, daemon threads where not. All
 * methods are safe from any thread.
 */
public interface Worker extends AutoCloseable {
    /** Where a worker is in its life. */
    enum State {
        NEW,
        RUNNING,
        STOPPING,
        STOPPED
    }

    State state();

    /** Starts a worker that was only built. */
    void start();

    /** Changes how many tasks or batches may run at once; running ones go on. */
    void concurrency(int processors);

    /**
     * Keeps places free for important tasks by other limits than before; running tasks go on. The highest limit replaces the
     * concurrency.
     */
    void priorityLimits(PriorityLimits limits);

    /**
     * Asks anew which types are to be taken, see {@link Builder#types} and {@link Builder#onlyWhile}. It does so by itself before each take,
     * and every second while it waits; this is for a change that is to be known at once. When it returns, no task is started any more whose
     * type is off. What a condition throws is thrown here.
     */
    void refresh();

    /**
     * Gives some processors to one queue each, from their next turn on; the rest go round all queues. An empty map ends
     * all assignments.
     *
     * @param processors how many processors each queue has for itself
     */
    void assign(Map<String, Integer> processors);

    WorkerStats stats();

    /**
     * Waits until the worker has stopped, by {@link #stop} or because its Leat was closed. A {@code main} that ends with it
     * works until Ctrl-C. Throws {@link dev.leat.error.InvalidRequestException} when the worker was not started.
     */
    void join() throws InterruptedException;

    /** The same for up to {@code timeout}; answers whether the worker has stopped. */
    boolean join(Duration timeout) throws InterruptedException;

    /**
     * Stops: starts nothing more, lets running handlers end within {@code timeout}, then interrupts them; gives back
     * what was not started or not finished, uncharged, and tells what that was. A second call waits for the first.
     *
     * <p>While a handler waits in {@link RunningTask#awaiting}, also if it begins to only now, tasks are started for up to half of the
     * time, since it may wait for one of them. Beyond the timeout a stop takes at most some seconds more, to write the last
     * outcomes; with the storage out of reach, that goes on in the background.
     */
    StopReport stop(Duration timeout);

    /** The same without waiting for it; all calls get the same answer. */
    CompletableFuture<StopReport> stopAsync(Duration timeout);

    /** Stops with a timeout of 30 seconds. */
    @Override
    default void close() {
        stop(Duration.ofSeconds(30));
    }

    /** Describes a worker. Mistakes are found here or in {@link #start()}, not at the first task. */
    interface Builder {
        /** Runs every task of {@code queue} that has no handler for its type. */
        <T> Builder handle(String queue, Class<T> type, Handler<? super T> handler);

        /** Runs the tasks of {@code queue} that are of {@code taskType}. */
        <T> Builder handle(String queue, String taskType, Class<T> type, Handler<? super T> handler);

        /**
         * Runs every task of {@code queue} that has no handler for its type, in a transaction of Leat's database. Throws
         * {@link dev.leat.error.UnsupportedByStorageException} where the storage has none.
         */
        <T> Builder handleInTransaction(String queue, Class<T> type, TransactionalHandler<? super T> handler);

        /** Runs the tasks of {@code queue} that are of {@code taskType} in a transaction. */
        <T> Builder handleInTransaction(
                String queue, String taskType, Class<T> type, TransactionalHandler<? super T> handler);

        /** Runs the tasks of {@code queue} in batches of up to the queue's batch size. */
        <T> Builder handleBatch(String queue, Class<T> type, BatchHandler<T> handler);

        /** Runs the dead runs of {@code queue}; without one they are logged and acknowledged. */
        <T> Builder handleDead(String queue, Class<T> type, Handler<? super T> handler);

        /**
         * Runs what is published for the subscription {@code id}; {@code queue} is the subscription's, which is the topic's unless it names
         * another. Copies for a subscription that has been disabled or dropped meanwhile are canceled instead.
         */
        <T> Builder subscriber(String queue, String id, Class<T> type, Handler<? super T> handler);

        /** Runs what is published for those subscriptions of {@code queue} that have no handler of their own. */
        <T> Builder otherSubscribers(String queue, Class<T> type, Handler<? super T> handler);

        /** Runs the dead runs of the subscription; without one they go to the queue's dead handler. */
        <T> Builder deadSubscriber(String queue, String id, Class<T> type, Handler<? super T> handler);

        /**
         * Adds the methods that have {@link Subscriber} or {@link DeadSubscriber}. Each takes the payload, and then, if it wants, the
         * {@link dev.leat.topic.Subscription} and the {@link RunningTask}.
         */
        Builder subscribers(String queue, Object methods);

        /**
         * Puts the copies of what is published to {@code topic}, which every worker of its queue does anyway: for workers that serve it for
         * nothing else. They leave the queue's other tasks to others.
         */
        Builder publications(String topic);

        /**
         * Leaves tasks of {@code queue} to other workers. They are given back as if they had never been taken, and come again a moment
         * later, each time half as late again, up to a minute. So are, without being named here, tasks of a kind for which this worker has no
         * handler at all: ordinary ones where it has only subscribers, and any but publications where it has only those.
         */
        Builder leave(String queue, Predicate<Task> toOthers);

        /** How many tasks or batches run at once; default 1. */
        Builder concurrency(int processors);

        /**
         * How many tasks of {@code queue} a processor runs before it goes on to the next queue, and the most a batch
         * handler gets at once; default 10.
         */
        Builder batchSize(String queue, int tasks);

        /** Keeps places free for important tasks; the highest limit replaces {@link #concurrency}. */
        Builder priorityLimits(PriorityLimits limits);

        /** In which order {@code queue} is taken from, where it declares others than oldest first. */
        Builder order(String queue, TakeOrder order);

        /**
         * Takes only these types from {@code queue}, asked anew before each take, and every second while it waits. An empty set takes
         * nothing. Without it, a queue that filters types and has handlers for some types only is asked for just those.
         */
        Builder types(String queue, Supplier<Set<String>> types);

        /**
         * Takes tasks of {@code taskType} only while {@code condition} holds, which is asked anew as {@link #types} are; it must be quick. What
         * was taken ahead and not started when it no longer does goes back. The queue must filter types.
         */
        Builder onlyWhile(String queue, String taskType, BooleanSupplier condition);

        Builder middleware(Middleware middleware);

        /**
         * Tells of each attempt that failed, and each task that its handler buried, for error trackers and the like, in addition to the log. It is called on the thread of the
         * handler, whose place it holds meanwhile. What it throws is logged, and changes nothing. Several are called in turn.
         */
        Builder onFailure(Consumer<? super Failure> listener);

        /** A turn of a processor that takes longer is counted in {@link WorkerStats#slowCycles}; default 10 seconds. */
        Builder slowCycle(Duration limit);

        /** Where processors come from, instead of virtual or daemon threads. */
        Builder threads(ThreadFactory threads);

        /**
         * Whether the JVM lives on while the worker runs, even when {@code main} has returned; default true. With false, whatever
         * else runs decides, such as the container that starts and stops the worker.
         */
        Builder keepAlive(boolean keepAlive);

        /** The worker, not started. */
        Worker build();

        /** Builds and starts. */
        default Worker start() {
            Worker worker = build();
            worker.start();
            return worker;
        }
    }
}
