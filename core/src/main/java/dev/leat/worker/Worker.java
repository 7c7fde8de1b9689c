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
    /** The states of a worker. */
    enum State {
        NEW,
        RUNNING,
        STOPPING,
        STOPPED
    }

    State state();

    /** Starts a built worker. */
    void start();

    /** Changes how many tasks or batches run at once; running ones go on. */
    void concurrency(int processors);

    /**
     * Replaces the priority limits; running tasks go on. The highest limit replaces the concurrency.
     */
    void priorityLimits(PriorityLimits limits);

    /**
     * Reads again which types to take, see {@link Builder#types} and {@link Builder#onlyWhile}. The worker does this before each take, and every
     * second while it waits. After this call no task starts whose type is off. An exception of a condition is thrown to the caller.
     */
    void refresh();

    /**
     * Assigns processors to single queues, from their next task on; the other processors serve all queues. An empty map ends all assignments.
     *
     * @param processors the number of processors for each of these queues alone
     */
    void assign(Map<String, Integer> processors);

    WorkerStats stats();

    /**
     * Waits until {@link #stop} or the close of the Leat has stopped the worker. A {@code main} method that ends with this call works until
     * Ctrl-C. Throws {@link dev.leat.error.InvalidRequestException} when the worker was not started.
     */
    void join() throws InterruptedException;

    /** Waits up to {@code timeout} until the worker has stopped, and returns whether it has. */
    boolean join(Duration timeout) throws InterruptedException;

    /**
     * Stops the worker: starts no more tasks, waits up to {@code timeout} for running handlers, then interrupts them. Unstarted and unfinished tasks
     * go back without a charge; the report lists them. A second call waits for the first one.
     *
     * <p>While a handler waits in {@link RunningTask#awaiting}, tasks start for up to half of the timeout, because the handler may wait for one of
     * them. After the timeout, a stop takes some seconds more to write the last outcomes. If the storage is out of reach, writing goes on in the
     * background.
     */
    StopReport stop(Duration timeout);

    /** Stops without waiting. All calls return the same future. */
    CompletableFuture<StopReport> stopAsync(Duration timeout);

    /** Stops with a timeout of 30 seconds. */
    @Override
    default void close() {
        stop(Duration.ofSeconds(30));
    }

    /** Builds a worker. Mistakes are refused here or in {@link #start()}, before the first task. */
    interface Builder {
        /** Handles the tasks of {@code queue} whose type has no handler. */
        <T> Builder handle(String queue, Class<T> type, Handler<? super T> handler);

        /** Handles the tasks of {@code queue} with this type. */
        <T> Builder handle(String queue, String taskType, Class<T> type, Handler<? super T> handler);

        /**
         * Handles the tasks of {@code queue} whose type has no handler, in a transaction of Leat's database. Throws
         * {@link dev.leat.error.UnsupportedByStorageException} if the storage has no transactions.
         */
        <T> Builder handleInTransaction(String queue, Class<T> type, TransactionalHandler<? super T> handler);

        /** Handles the tasks of {@code queue} with this type in a transaction. */
        <T> Builder handleInTransaction(
                String queue, String taskType, Class<T> type, TransactionalHandler<? super T> handler);

        /** Handles the tasks of {@code queue} in batches of up to {@link #batchSize}. */
        <T> Builder handleBatch(String queue, Class<T> type, BatchHandler<T> handler);

        /** Handles the dead runs of {@code queue}. Without a dead handler, the worker logs and acks them. */
        <T> Builder handleDead(String queue, Class<T> type, Handler<? super T> handler);

        /**
         * Handles the copies for the subscription {@code id}. {@code queue} is the queue of the subscription, by default the topic's. Copies for
         * a disabled or dropped subscription are canceled instead.
         */
        <T> Builder subscriber(String queue, String id, Class<T> type, Handler<? super T> handler);

        /** Handles the copies for all subscriptions of {@code queue} without a handler of their own. */
        <T> Builder otherSubscribers(String queue, Class<T> type, Handler<? super T> handler);

        /** Handles the dead runs of the subscription; otherwise the queue's dead handler gets them. */
        <T> Builder deadSubscriber(String queue, String id, Class<T> type, Handler<? super T> handler);

        /**
         * Adds all public methods with {@link Subscriber} or {@link DeadSubscriber}. The parameters are the payload and, optionally, the
         * {@link dev.leat.topic.Subscription} and the {@link RunningTask}.
         */
        Builder subscribers(String queue, Object methods);

        /**
         * Puts the copies of publications to {@code topic}. Every worker that handles tasks of this queue does this too; use this method for a
         * worker without other handlers for the queue, which leaves all other tasks to other workers.
         */
        Builder publications(String topic);

        /**
         * Leaves these tasks of {@code queue} to other workers. The worker gives them back with a delay that grows by half each time, from 100 ms
         * to a minute. It does the same with kinds of tasks for which it has no handler: ordinary tasks if it has only subscribers, and all but
         * publications if it has only {@link #publications}.
         */
        Builder leave(String queue, Predicate<Task> toOthers);

        /** How many tasks or batches run at once; default 1. */
        Builder concurrency(int processors);

        /**
         * How many tasks of {@code queue} a processor runs before it moves on to the next queue, and the largest batch of a batch handler;
         * default 10.
         */
        Builder batchSize(String queue, int tasks);

        /** Keeps slots free for important tasks; the highest limit replaces {@link #concurrency}. */
        Builder priorityLimits(PriorityLimits limits);

        /** The order in which tasks of {@code queue} are taken; the queue must declare it. */
        Builder order(String queue, TakeOrder order);

        /**
         * Takes only these types from {@code queue}. The worker calls the supplier before each take, and every second while it waits. An empty
         * set takes nothing. Without a supplier, a worker with handlers for single types takes only those, if the queue filters types.
         */
        Builder types(String queue, Supplier<Set<String>> types);

        /**
         * Takes tasks of {@code taskType} only while {@code condition} is true. The worker calls it as often as {@link #types}; it must be quick.
         * Prefetched tasks go back when it turns false. The queue must filter types.
         */
        Builder onlyWhile(String queue, String taskType, BooleanSupplier condition);

        Builder middleware(Middleware middleware);

        /**
         * Adds a listener for failed attempts and for tasks that their handlers buried, for example for an error tracker. The listener runs on the
         * thread of the handler and occupies its slot. Exceptions of a listener are logged and change nothing. Several listeners run in turn.
         */
        Builder onFailure(Consumer<? super Failure> listener);

        /** A run that takes longer is counted in {@link WorkerStats#slowCycles}; default 10 seconds. */
        Builder slowCycle(Duration limit);

        /** Makes the threads of the processors, instead of virtual or daemon threads. */
        Builder threads(ThreadFactory threads);

        /**
         * Whether a running worker keeps the JVM alive after {@code main} has returned; default true. Set false in a container that starts and stops
         * the worker.
         */
        Builder keepAlive(boolean keepAlive);

        /** Builds the worker without starting it. */
        Worker build();

        /** Builds and starts. */
        default Worker start() {
            Worker worker = build();
            worker.start();
            return worker;
        }
    }
}
