package dev.leat.internal.worker;

import dev.leat.Task;
import dev.leat.error.InvalidRequestException;
import dev.leat.worker.BatchHandler;
import dev.leat.worker.Handler;
import dev.leat.worker.TransactionalHandler;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the handler of each task of one queue, by its kind: publication, dead run, copy for a subscription, or ordinary task with a type.
 *
 * <p>Not thread-safe while handlers are added. It does not change after the worker was built, and any thread may read it.
 */
final class QueueHandlers {
    private static final Logger log = LoggerFactory.getLogger(QueueHandlers.class);

    /** A handler and the class that its payloads are read as. */
    record Typed<T>(Class<T> type, Call<? super T> handler, boolean inTransaction) {
        static <T> Typed<T> plain(Class<T> type, Handler<? super T> handler) {
            return new Typed<>(type, handler::handle, false);
        }

        static <T> Typed<T> inTransaction(Class<T> type, TransactionalHandler<? super T> handler) {
            return new Typed<>(
                    type, (payload, execution) -> handler.handle(payload, execution, execution.connection()), true);
        }
    }

    /** The call of a plain or a transactional handler. */
    interface Call<T> {
        void handle(T payload, Execution execution) throws Exception;
    }

    /** A batch handler and the class that its payloads are read as. */
    record TypedBatch<T>(Class<T> type, BatchHandler<T> handler) {}

    /** The ack puts the copies. It happens at once, so that an error fails this task and delays no other outcome. */
    private static final Typed<byte[]> PUBLISH = Typed.plain(byte[].class, (payload, task) -> task.ack());

    private static final Typed<byte[]> LOG_DEAD_RUN = Typed.plain(
            byte[].class,
            (payload, task) -> log.warn(
                    "Task {} of queue '{}' used up its attempts without success, and there is no dead handler. Somebody"
                            + " has to look at it.",
                    task.task().deadOf().orElse(0),
                    task.task().queue()));

    private final String queue;
    private final Map<String, Typed<?>> byType = new HashMap<>();
    private final Map<String, Typed<?>> bySubscription = new HashMap<>();
    private final Map<String, Typed<?>> deadBySubscription = new HashMap<>();
    private @Nullable Typed<?> otherTypes;
    private @Nullable Typed<?> otherSubscriptions;
    private @Nullable Typed<?> dead;
    private @Nullable TypedBatch<?> batch;
    private boolean publishes;

    QueueHandlers(String queue) {
        this.queue = queue;
    }

    // Adding

    /** For tasks whose type has no handler of its own. */
    void add(Typed<?> handler) {
        checkFree(otherTypes, "a handler");
        otherTypes = handler;
    }

    void add(String taskType, Typed<?> handler) {
        checkFree(byType.get(taskType), "a handler for type '" + taskType + "'");
        byType.put(taskType, handler);
    }

    void addBatch(TypedBatch<?> handler) {
        checkFree(batch, "a batch handler");
        batch = handler;
    }

    void addDead(Typed<?> handler) {
        checkFree(dead, "a dead handler");
        dead = handler;
    }

    void addSubscriber(String subscription, Typed<?> handler) {
        addOnce(bySubscription, subscription, handler);
    }

    void addOtherSubscribers(Typed<?> handler) {
        checkFree(otherSubscriptions, "other subscribers");
        otherSubscriptions = handler;
    }

    void addDeadSubscriber(String subscription, Typed<?> handler) {
        addOnce(deadBySubscription, subscription, handler);
    }

    /** The worker serves this queue to put the copies of publications. */
    void addPublications() {
        publishes = true;
    }

    private static void addOnce(Map<String, Typed<?>> handlers, String subscription, Typed<?> handler) {
        if (handlers.putIfAbsent(subscription, handler) != null) {
            throw new InvalidRequestException("handler", "is given twice for subscription '" + subscription + "'");
        }
    }

    private void checkFree(@Nullable Object present, String what) {
        if (present != null) {
            throw new InvalidRequestException(
                    "handler", "is given twice: queue '" + queue + "' has " + what + " already");
        }
    }

    /** Refuses a queue without a handler, and a queue with handlers for batches and for single tasks. */
    void check() {
        if (!servesTasks() && !hasSubscribers() && dead == null && deadBySubscription.isEmpty() && !publishes) {
            throw new InvalidRequestException("worker", "has options but no handler for queue '" + queue + "'");
        }
        if (batch != null && (otherTypes != null || !byType.isEmpty())) {
            throw new InvalidRequestException(
                    "handler", "of queue '" + queue + "' is either for batches or for single tasks, not both");
        }
    }

    // Choosing

    /** The batch handler; it gets the tasks for which {@link #isForBatch} is true. */
    @Nullable
    TypedBatch<?> batch() {
        return batch;
    }

    boolean isForBatch(Task task) {
        return batch != null && !task.isPublication() && task.deadOf().isEmpty() && !isForSubscriber(task);
    }

    /** The handler that runs the task alone; empty where the worker has handlers for other types or subscriptions only. */
    Optional<Typed<?>> choose(Task task) {
        if (task.isPublication()) {
            return Optional.of(PUBLISH);
        }
        if (task.deadOf().isPresent()) {
            return Optional.of(deadHandler(task));
        }
        if (isForSubscriber(task)) {
            return Optional.ofNullable(
                    bySubscription.getOrDefault(task.subscriber().orElseThrow(), otherSubscriptions));
        }
        Typed<?> handler = task.type().map(byType::get).orElse(null);
        return Optional.ofNullable(handler != null ? handler : otherTypes);
    }

    private Typed<?> deadHandler(Task task) {
        Typed<?> subscriber = task.subscriber().map(deadBySubscription::get).orElse(null);
        if (subscriber != null) {
            return subscriber;
        }
        return dead != null ? dead : LOG_DEAD_RUN;
    }

    /**
     * Whether the worker has any handler for this kind of task. A worker with handlers for some types, or for some subscriptions, is meant
     * to have a handler for each of them: a task of another type fails.
     */
    boolean serve(Task task) {
        if (task.isPublication() || servesTasks()) {
            return true;
        }
        if (task.deadOf().isPresent()) {
            return hasSubscribers() || hasDeadHandler(task);
        }
        return isForSubscriber(task);
    }

    private boolean hasDeadHandler(Task task) {
        return dead != null || task.subscriber().map(deadBySubscription::get).isPresent();
    }

    private boolean servesTasks() {
        return batch != null || otherTypes != null || !byType.isEmpty();
    }

    /** Without subscribers, copies of publications are ordinary tasks. */
    private boolean isForSubscriber(Task task) {
        return task.subscriber().isPresent() && hasSubscribers();
    }

    private boolean hasSubscribers() {
        return otherSubscriptions != null || !bySubscription.isEmpty();
    }

    /** Whether only tasks of {@link #types} have a handler. */
    boolean areForTypesOnly() {
        return batch == null && otherTypes == null && !byType.isEmpty() && !hasSubscribers() && !publishes;
    }

    /** The types that have a handler of their own. */
    Set<String> types() {
        return byType.keySet();
    }
}
