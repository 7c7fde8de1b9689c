package dev.leat;

import dev.leat.error.InvalidRequestException;
import dev.leat.error.SubscriptionNotFoundException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.storage.Storage;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The subscriptions of all topics. */
public final class Subscriptions {
    private static final Logger log = LoggerFactory.getLogger(Subscriptions.class);
    private static final Set<TaskState> NOT_STARTED =
            EnumSet.of(TaskState.WAITING, TaskState.SCHEDULED, TaskState.READY);
    private static final Set<TaskState> ENDED =
            EnumSet.of(TaskState.DONE, TaskState.FAILED, TaskState.EXPIRED, TaskState.CANCELED, TaskState.BURIED);
    private static final int BLOCK = 1_000;

    private final Leat leat;

    Subscriptions(Leat leat) {
        this.leat = leat;
    }

    /** Makes a subscription, or changes it. Makes its queue too, if that is missing. */
    public Subscription put(Subscription subscription) {
        subscription.webhook().ifPresent(Webhook::check);
        leat.queue(subscription.queue()).ensure();
        return storage().subscriptions().put(subscription);
    }

    public Optional<Subscription> find(String id) {
        return storage().subscriptions().find(id);
    }

    public List<Subscription> list(SubscriptionQuery query) {
        return storage().subscriptions().list(query);
    }

    /** It gets nothing from now on, and what waits for it is canceled with the reason; what runs, goes on. */
    public Subscription disable(String id, String reason) {
        Subscription disabled = storage()
                .subscriptions()
                .disable(id, reason, Optional.empty())
                .orElseThrow(() -> new SubscriptionNotFoundException(id));
        cancelWaiting(id, reason);
        return disabled;
    }

    /**
     * The same, but only while what it gets is sent to {@code url}: who learns that a URL is gone must not disable a receiver that has
     * moved. Answers whether it was disabled.
     */
    public boolean disableIfSentTo(String id, String url, String reason) {
        boolean isDisabled =
                storage().subscriptions().disable(id, reason, Optional.of(url)).isPresent();
        if (isDisabled) {
            cancelWaiting(id, reason);
        }
        return isDisabled;
    }

    /** It gets what is published from now on. */
    public Subscription enable(String id) {
        return storage().subscriptions().enable(id).orElseThrow(() -> new SubscriptionNotFoundException(id));
    }

    /** Forgets it; what waits for it is canceled. Answers whether there was one. */
    public boolean drop(String id) {
        boolean wasThere = storage().subscriptions().drop(id);
        cancelWaiting(id, "the subscription '" + id + "' was dropped");
        return wasThere;
    }

    /**
     * Puts a copy of a publication once more, whatever became of it, for its subscription as it is now; answers the new task.
     *
     * @throws InvalidRequestException when the task is no copy of a publication, or does not have its payload any more
     */
    public long replay(long taskId) {
        Task copy = leat.peek(taskId).orElseThrow(() -> new TaskNotFoundException(taskId));
        Subscription subscription = get(copy.subscriber()
                .filter(id -> isCopy(copy))
                .orElseThrow(() -> new InvalidRequestException("task", taskId + " is no copy of a publication")));
        checkPayload(copy);
        return leat.put(again(copy, subscription)).id();
    }

    /**
     * Puts those copies of a subscription once more that were put in a span of time and have ended or are buried; answers how many. What
     * it puts itself is not among them.
     *
     * @throws InvalidRequestException when one of them does not have its payload any more; then none is put
     */
    public int replay(String id, Instant from, Instant until) {
        Subscription subscription = get(id);
        Instant now = storage().now();
        Instant end = until.isBefore(now) ? until : now;
        Predicate<Task> isMeant = task ->
                isCopy(task) && !task.created().isBefore(from) && task.created().isBefore(end);
        TaskQuery ended = TaskQuery.live().states(ENDED).subscriber(id);
        eachBlock(ended, block -> block.stream().filter(isMeant).forEach(Subscriptions::checkPayload));
        AtomicInteger count = new AtomicInteger();
        eachBlock(ended, block -> {
            List<NewTask> again = block.stream()
                    .filter(isMeant)
                    .map(task -> again(task, subscription))
                    .toList();
            count.addAndGet(leat.putAll(again).size());
        });
        return count.get();
    }

    /** A dead run is none: it is there for who looks after what failed. */
    private static boolean isCopy(Task task) {
        return task.publicationId().isPresent() && task.deadOf().isEmpty();
    }

    /** Whether it was empty from the start cannot be told, and a body that lacks everything must not be sent. */
    private static void checkPayload(Task copy) {
        if (copy.state() == TaskState.DONE && copy.payload().equals(Payload.empty())) {
            throw new InvalidRequestException(
                    "task",
                    copy.id() + " does not have its payload any more; queue '" + copy.queue()
                            + "' keeps those of tasks that are done only if its retention says so");
        }
    }

    private static NewTask again(Task copy, Subscription subscription) {
        return copy.given().copyFor(subscription, copy.publicationId().orElseThrow(), copy.priority());
    }

    private Subscription get(String id) {
        return find(id).orElseThrow(() -> new SubscriptionNotFoundException(id));
    }

    private void cancelWaiting(String id, String reason) {
        TaskQuery waiting = TaskQuery.live().states(NOT_STARTED).subscriber(id);
        eachBlock(waiting, block -> block.forEach(task -> cancel(task.id(), reason)));
    }

    private void cancel(long copy, String reason) {
        try {
            leat.cancel(copy, reason);
        } catch (TaskNotFoundException e) {
            log.debug("Copy {} has ended and was forgotten meanwhile", copy);
        }
    }

    private void eachBlock(TaskQuery query, Consumer<List<Task>> use) {
        TaskQuery next = query.limit(BLOCK);
        List<Task> block = leat.list(next);
        while (!block.isEmpty()) {
            use.accept(block);
            block = leat.list(next.after(block.get(block.size() - 1).id()));
        }
    }

    private Storage storage() {
        return leat.storage();
    }
}
