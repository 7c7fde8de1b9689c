package dev.leat.internal.worker;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.UnsupportedByStorageException;
import dev.leat.internal.waiting.Dispatcher;
import dev.leat.internal.waiting.Heartbeat;
import dev.leat.queue.TakeOrder;
import dev.leat.storage.Capability;
import dev.leat.storage.Storage;
import dev.leat.worker.BatchHandler;
import dev.leat.worker.Failure;
import dev.leat.worker.Handler;
import dev.leat.worker.Middleware;
import dev.leat.worker.PriorityLimits;
import dev.leat.worker.TransactionalHandler;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects what a worker is to do, and finds mistakes before it starts. */
public final class WorkerSetup implements Worker.Builder {
    private final Leat leat;
    private final Dispatcher dispatcher;
    private final Heartbeat heartbeat;
    private final List<Worker> siblings;
    private final BooleanSupplier isClosing;
    private final TransactionEnd transactionEnd;
    private final Map<String, ServedQueue> queues = new LinkedHashMap<>();
    private final List<Middleware> middleware = new ArrayList<>();
    private final List<Consumer<? super Failure>> failureListeners = new ArrayList<>();
    private ThreadFactory threads = Threads.named("leat-processor-");
    private boolean keepAlive = true;
    private boolean built;
    private int concurrency = 1;
    private Duration slowCycle = Duration.ofSeconds(10);
    private @Nullable PriorityLimits limits;

    /**
     * @param siblings the running workers of the Leat, which stops them when it closes
     * @param isClosing whether the Leat has begun to close, after which it stops no further workers
     */
    public WorkerSetup(
            Leat leat,
            Dispatcher dispatcher,
            Heartbeat heartbeat,
            List<Worker> siblings,
            BooleanSupplier isClosing,
            TransactionEnd transactionEnd) {
        this.leat = leat;
        this.dispatcher = dispatcher;
        this.heartbeat = heartbeat;
        this.siblings = siblings;
        this.isClosing = isClosing;
        this.transactionEnd = transactionEnd;
    }

    private ServedQueue queue(String name) {
        return queues.computeIfAbsent(leat.queue(name).name(), ServedQueue::new);
    }

    @Override
    public <T> Worker.Builder handle(String queue, Class<T> type, Handler<? super T> handler) {
        return serve(queue, ServedQueue.Typed.plain(type, handler));
    }

    @Override
    public <T> Worker.Builder handle(String queue, String taskType, Class<T> type, Handler<? super T> handler) {
        return serve(queue, taskType, ServedQueue.Typed.plain(type, handler));
    }

    @Override
    public <T> Worker.Builder handleInTransaction(
            String queue, Class<T> type, TransactionalHandler<? super T> handler) {
        checkTransactions();
        return serve(queue, ServedQueue.Typed.inTransaction(type, handler));
    }

    @Override
    public <T> Worker.Builder handleInTransaction(
            String queue, String taskType, Class<T> type, TransactionalHandler<? super T> handler) {
        checkTransactions();
        return serve(queue, taskType, ServedQueue.Typed.inTransaction(type, handler));
    }

    private void checkTransactions() {
        Storage storage = leat.storage();
        if (!storage.capabilities().contains(Capability.HANDLER_TRANSACTION)) {
            throw new UnsupportedByStorageException(storage.name(), "handlers in a transaction");
        }
    }

    private Worker.Builder serve(String queue, ServedQueue.Typed<?> handler) {
        ServedQueue served = queue(queue);
        checkFree(served.other, "a handler", queue);
        served.other = handler;
        return this;
    }

    private Worker.Builder serve(String queue, String taskType, ServedQueue.Typed<?> handler) {
        ServedQueue served = queue(queue);
        checkFree(served.byType.get(taskType), "a handler for type '" + taskType + "'", queue);
        served.byType.put(taskType, handler);
        return this;
    }

    @Override
    public <T> Worker.Builder handleBatch(String queue, Class<T> type, BatchHandler<T> handler) {
        ServedQueue served = queue(queue);
        checkFree(served.batch, "a batch handler", queue);
        served.batch = new ServedQueue.TypedBatch<>(type, handler);
        return this;
    }

    @Override
    public <T> Worker.Builder handleDead(String queue, Class<T> type, Handler<? super T> handler) {
        ServedQueue served = queue(queue);
        checkFree(served.dead, "a dead handler", queue);
        served.dead = ServedQueue.Typed.plain(type, handler);
        return this;
    }

    @Override
    public <T> Worker.Builder subscriber(String queue, String id, Class<T> type, Handler<? super T> handler) {
        return subscribe(queue(queue).subscribers, id, ServedQueue.Typed.plain(type, Subscribers.whileActive(handler)));
    }

    @Override
    public <T> Worker.Builder otherSubscribers(String queue, Class<T> type, Handler<? super T> handler) {
        ServedQueue served = queue(queue);
        checkFree(served.otherSubscribers, "other subscribers", queue);
        served.otherSubscribers = ServedQueue.Typed.plain(type, Subscribers.whileActive(handler));
        return this;
    }

    @Override
    public <T> Worker.Builder deadSubscriber(String queue, String id, Class<T> type, Handler<? super T> handler) {
        return subscribe(queue(queue).deadSubscribers, id, ServedQueue.Typed.plain(type, handler));
    }

    private Worker.Builder subscribe(
            Map<String, ServedQueue.Typed<?>> handlers, String id, ServedQueue.Typed<?> handler) {
        if (handlers.putIfAbsent(id, handler) != null) {
            throw new InvalidRequestException("handler", "is given twice for subscription '" + id + "'");
        }
        return this;
    }

    @Override
    public Worker.Builder subscribers(String queue, Object methods) {
        Subscribers.addAll(this, queue, methods);
        return this;
    }

    @Override
    public Worker.Builder publications(String topic) {
        queue(topic).publishes = true;
        return this;
    }

    @Override
    public Worker.Builder leave(String queue, Predicate<Task> toOthers) {
        queue(queue).strangers.leave(toOthers);
        return this;
    }

    private static void checkConditions(ServedQueue queue) {
        if (!queue.conditions.isEmpty() && queue.types == null && !queue.handlesTypesOnly()) {
            throw new InvalidRequestException(
                    "onlyWhile",
                    "cannot switch off one type of queue '" + queue.name + "' where others are not named: give it only"
                            + " handlers for types, or name what to take with types(…)");
        }
        for (String type : queue.conditions.keySet()) {
            if (queue.types == null && !queue.byType.containsKey(type)) {
                throw new InvalidRequestException(
                        "onlyWhile",
                        "names type '" + type + "' of queue '" + queue.name + "', for which there is no handler");
            }
        }
    }

    private static void checkFree(@Nullable Object present, String what, String queue) {
        if (present != null) {
            throw new InvalidRequestException(
                    "handler", "is given twice: queue '" + queue + "' has " + what + " already");
        }
    }

    @Override
    public Worker.Builder concurrency(int processors) {
        if (processors < 1) {
            throw new InvalidRequestException("concurrency", "must be at least 1, was " + processors);
        }
        concurrency = processors;
        return this;
    }

    @Override
    public Worker.Builder batchSize(String queue, int tasks) {
        if (tasks < 1) {
            throw new InvalidRequestException("batchSize", "must be at least 1, was " + tasks);
        }
        queue(queue).batchSize = tasks;
        return this;
    }

    @Override
    public Worker.Builder priorityLimits(PriorityLimits priorityLimits) {
        limits = priorityLimits;
        return this;
    }

    @Override
    public Worker.Builder types(String queue, Supplier<Set<String>> types) {
        queue(queue).types = types;
        return this;
    }

    @Override
    public Worker.Builder onlyWhile(String queue, String taskType, BooleanSupplier condition) {
        BooleanSupplier present = queue(queue).conditions.putIfAbsent(taskType, condition);
        if (present != null) {
            throw new InvalidRequestException(
                    "onlyWhile", "is given twice for type '" + taskType + "' of queue '" + queue + "'");
        }
        return this;
    }

    @Override
    public Worker.Builder order(String queue, TakeOrder order) {
        queue(queue).order = order;
        return this;
    }

    @Override
    public Worker.Builder middleware(Middleware more) {
        middleware.add(more);
        return this;
    }

    @Override
    public Worker.Builder onFailure(Consumer<? super Failure> listener) {
        failureListeners.add(listener);
        return this;
    }

    @Override
    public Worker.Builder slowCycle(Duration limit) {
        slowCycle = limit;
        return this;
    }

    @Override
    public Worker.Builder threads(ThreadFactory factory) {
        threads = factory;
        return this;
    }

    @Override
    public Worker.Builder keepAlive(boolean keep) {
        keepAlive = keep;
        return this;
    }

    @Override
    public Worker build() {
        if (built) {
            throw new InvalidRequestException(
                    "worker", "was built from this builder already; one builder makes one worker");
        }
        if (queues.isEmpty()) {
            throw new InvalidRequestException("worker", "serves no queue; add one with handle(queue, type, handler)");
        }
        for (ServedQueue queue : queues.values()) {
            if (!queue.hasHandler()) {
                throw new InvalidRequestException(
                        "worker", "has options but no handler for queue '" + queue.name + "'");
            }
            if (queue.batch != null && (queue.other != null || !queue.byType.isEmpty())) {
                throw new InvalidRequestException(
                        "handler", "of queue '" + queue.name + "' is either for batches or for single tasks, not both");
            }
            checkConditions(queue);
        }
        built = true;
        return new WorkerRuntime(
                leat,
                dispatcher,
                heartbeat,
                siblings,
                isClosing,
                transactionEnd,
                List.copyOf(queues.values()),
                List.copyOf(middleware),
                List.copyOf(failureListeners),
                concurrency,
                limits,
                slowCycle,
                threads,
                keepAlive);
    }
}
