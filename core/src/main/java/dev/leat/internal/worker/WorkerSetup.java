package dev.leat.internal.worker;

import dev.leat.Task;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.UnsupportedByStorageException;
import dev.leat.internal.Checks;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds a worker: collects its options and handlers, and refuses mistakes before the start. */
public final class WorkerSetup implements Worker.Builder {
    private final WorkerHost host;
    private final Map<String, ServedQueue> queues = new LinkedHashMap<>();
    private final List<Middleware> middleware = new ArrayList<>();
    private final List<Consumer<? super Failure>> failureListeners = new ArrayList<>();
    private ThreadFactory threads = Threads.named("leat-processor-");
    private boolean keepAlive = true;
    private boolean built;
    private int concurrency = 1;
    private Duration slowCycle = Duration.ofSeconds(10);
    private @Nullable PriorityLimits limits;

    public WorkerSetup(WorkerHost host) {
        this.host = host;
    }

    private ServedQueue queue(String name) {
        return queues.computeIfAbsent(host.leat().queue(name).name(), ServedQueue::new);
    }

    @Override
    public <T> Worker.Builder handle(String queue, Class<T> type, Handler<? super T> handler) {
        return serve(queue, QueueHandlers.Typed.plain(type, handler));
    }

    @Override
    public <T> Worker.Builder handle(String queue, String taskType, Class<T> type, Handler<? super T> handler) {
        return serve(queue, taskType, QueueHandlers.Typed.plain(type, handler));
    }

    @Override
    public <T> Worker.Builder handleInTransaction(
            String queue, Class<T> type, TransactionalHandler<? super T> handler) {
        checkTransactions();
        return serve(queue, QueueHandlers.Typed.inTransaction(type, handler));
    }

    @Override
    public <T> Worker.Builder handleInTransaction(
            String queue, String taskType, Class<T> type, TransactionalHandler<? super T> handler) {
        checkTransactions();
        return serve(queue, taskType, QueueHandlers.Typed.inTransaction(type, handler));
    }

    private void checkTransactions() {
        Storage storage = host.leat().storage();
        if (!storage.capabilities().contains(Capability.HANDLER_TRANSACTION)) {
            throw new UnsupportedByStorageException(storage.name(), "handlers in a transaction");
        }
    }

    private Worker.Builder serve(String queue, QueueHandlers.Typed<?> handler) {
        queue(queue).handlers.add(handler);
        return this;
    }

    private Worker.Builder serve(String queue, String taskType, QueueHandlers.Typed<?> handler) {
        queue(queue).handlers.add(taskType, handler);
        return this;
    }

    @Override
    public <T> Worker.Builder handleBatch(String queue, Class<T> type, BatchHandler<T> handler) {
        queue(queue).handlers.addBatch(new QueueHandlers.TypedBatch<>(type, handler));
        return this;
    }

    @Override
    public <T> Worker.Builder handleDead(String queue, Class<T> type, Handler<? super T> handler) {
        queue(queue).handlers.addDead(QueueHandlers.Typed.plain(type, handler));
        return this;
    }

    @Override
    public <T> Worker.Builder subscriber(String queue, String id, Class<T> type, Handler<? super T> handler) {
        queue(queue).handlers.addSubscriber(id, QueueHandlers.Typed.plain(type, Subscribers.whileActive(handler)));
        return this;
    }

    @Override
    public <T> Worker.Builder otherSubscribers(String queue, Class<T> type, Handler<? super T> handler) {
        queue(queue).handlers.addOtherSubscribers(QueueHandlers.Typed.plain(type, Subscribers.whileActive(handler)));
        return this;
    }

    @Override
    public <T> Worker.Builder deadSubscriber(String queue, String id, Class<T> type, Handler<? super T> handler) {
        queue(queue).handlers.addDeadSubscriber(id, QueueHandlers.Typed.plain(type, handler));
        return this;
    }

    @Override
    public Worker.Builder subscribers(String queue, Object methods) {
        Subscribers.addAll(this, queue, methods);
        return this;
    }

    @Override
    public Worker.Builder publications(String topic) {
        queue(topic).handlers.addPublications();
        return this;
    }

    @Override
    public Worker.Builder leave(String queue, Predicate<Task> toOthers) {
        queue(queue).unhandled.leave(toOthers);
        return this;
    }

    private static void checkConditions(ServedQueue queue) {
        if (!queue.conditions.isEmpty() && queue.types == null && !queue.handlers.areForTypesOnly()) {
            throw new InvalidRequestException(
                    "onlyWhile",
                    "cannot switch off one type of queue '" + queue.name + "' where others are not named: give it only"
                            + " handlers for types, or name what to take with types(…)");
        }
        for (String type : queue.conditions.keySet()) {
            if (queue.types == null && !queue.handlers.types().contains(type)) {
                throw new InvalidRequestException(
                        "onlyWhile",
                        "names type '" + type + "' of queue '" + queue.name + "', for which there is no handler");
            }
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
        slowCycle = Checks.notNegative("slowCycle", limit);
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
            queue.handlers.check();
            checkConditions(queue);
        }
        built = true;
        WorkerSpec spec = new WorkerSpec(
                List.copyOf(queues.values()),
                middleware,
                failureListeners,
                concurrency,
                Optional.ofNullable(limits),
                slowCycle,
                threads,
                keepAlive);
        return new WorkerRuntime(host, spec);
    }
}
