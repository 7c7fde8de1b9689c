package dev.leat.storagetests.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.Leat;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.SubscriptionNotFoundException;
import dev.leat.storagetests.Faults;
import dev.leat.storagetests.worker.WorkerTest;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import dev.leat.worker.DeadSubscriber;
import dev.leat.worker.RunningTask;
import dev.leat.worker.Subscriber;
import dev.leat.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Workers that run what is published, each subscription with a handler of its own. Covers N10, N30 to N32, N38, N39. */
public abstract class SubscriberContract extends WorkerTest {
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    private void subscribe(String... ids) {
        for (String id : ids) {
            leat.subscriptions().put(Subscription.to(Q, id));
        }
    }

    private Task copyFor(String subscriber) {
        return leat.list(TaskQuery.of(Q).subscriber(subscriber)).get(0);
    }

    @Test
    void eachSubscriptionHasItsOwnHandler() { // N30
        subscribe("billing", "shipping");
        leat.worker()
                .subscriber(Q, "billing", String.class, (order, task) -> ran.add("bill " + order))
                .subscriber(Q, "shipping", String.class, (order, task) -> ran.add("ship " + order))
                .start();

        leat.publish(Q, "order 1");

        await("both to run", () -> ran.size() == 2);
        assertThat(ran).containsExactlyInAnyOrder("bill order 1", "ship order 1");
        awaitDone(3);
    }

    @Test
    void aSubscriptionWithoutAHandlerFailsAndIsTriedAgain() { // N32
        subscribe("billing", "unknown");
        leat.worker()
                .subscriber(Q, "billing", String.class, (order, task) -> ran.add(order))
                .start();

        leat.publish(Q, "order 1");

        await("the other to fail", () -> leat.list(TaskQuery.of(Q).subscriber("unknown")).stream()
                .anyMatch(task -> task.failures() > 0));
        Task failed = copyFor("unknown");
        assertThat(failed.message())
                .contains("No handler for subscription 'unknown' in queue '" + Q + "' in this worker");
        assertThat(failed.state()).isIn(TaskState.SCHEDULED, TaskState.READY, TaskState.TAKEN);
        await("the one with a handler to run", () -> ran.contains("order 1"));
    }

    @Test
    void copiesThatCannotBePutAreAFailureOfThePublication() {
        leat.subscriptions().put(Subscription.to(Q, "billing").queue("bills"));
        Faults faults = new Faults();
        Leat shaky = openOn(faults.between(storage));
        faults.set(Faults.Line.DOWN, "settle");
        long id = leat.publish(Q, "order 1");
        shaky.worker().publications(Q).start();

        await("the copies to be put in vain", () -> faults.calls("settle") > 0);
        faults.set(Faults.Line.WORKS);

        awaitState(id, TaskState.DONE);
        assertThat(peek(id).failures()).isPositive();
        assertThat(leat.queue("bills").stats().live()).isEqualTo(1);
    }

    @Test
    void aWorkerWithoutAnySubscribersRunsCopiesAsOtherTasks() {
        leat.subscriptions().put(Subscription.to(Q, "billing").queue("bills"));
        leat.worker().publications(Q).start();
        leat.worker()
                .handle("bills", String.class, (order, task) -> ran.add(order))
                .start();

        leat.publish(Q, "order 1");

        await("the copy to run", () -> ran.contains("order 1"));
    }

    @Test
    void subscriptionsWithoutAHandlerOfTheirOwnMayShareOne() { // N31
        subscribe("billing", "shipping", "packing");
        leat.worker()
                .subscriber(Q, "billing", String.class, (order, task) -> ran.add("billing"))
                .otherSubscribers(
                        Q,
                        String.class,
                        (order, task) -> ran.add(task.task().subscriber().orElseThrow()))
                .start();

        leat.publish(Q, "order 1");

        await("all to run", () -> ran.size() == 3);
        assertThat(ran).containsExactlyInAnyOrder("billing", "shipping", "packing");
    }

    /** Handlers as methods. */
    public final class Orders {
        @Subscriber("billing")
        public void bill(String order, Subscription subscription, RunningTask task) {
            ran.add("bill " + order + " for " + subscription.id() + " of "
                    + task.task().publicationId().orElse(0));
        }

        @Subscriber("shipping")
        public void ship(String order) {
            throw new IllegalStateException("no ships");
        }

        @DeadSubscriber("shipping")
        public void shipNot(String order, RunningTask task) {
            ran.add("cannot ship " + order + " of " + task.task().subscriber().orElse(""));
        }
    }

    @Test
    void handlersAreMethodsWithAnnotations() { // N30
        createDeadQueue();
        leat.subscriptions().put(Subscription.to(Q, "billing"));
        leat.subscriptions().put(Subscription.to(Q, "shipping").queue("dying"));
        leat.worker()
                .subscribers(Q, new Orders())
                .subscribers("dying", new Orders())
                .start();

        long id = leat.publish(Q, "order 1");

        await("both to run", () -> ran.size() == 2);
        assertThat(ran)
                .containsExactlyInAnyOrder("bill order 1 for billing of " + id, "cannot ship order 1 of shipping");
    }

    @Test
    void methodsThatCannotBeCalledAreRefused() {
        assertThatThrownBy(() -> leat.worker().subscribers(Q, "no methods"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("no public method has @Subscriber");
        assertThatThrownBy(() -> leat.worker().subscribers(Q, new Object() {
                    @Subscriber("x")
                    public void wrong(String order, int number) {}
                }))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("must take the payload first");
    }

    @Test
    void aTopicWithoutHandlersIsFannedOutAllTheSame() {
        leat.subscriptions().put(Subscription.to(Q, "billing").queue("bills"));
        leat.worker().publications(Q).start();

        leat.publish(Q, "order 1");

        await("the copy to be put", () -> leat.queue("bills").stats().count(TaskState.READY) == 1);
    }

    @Test
    void aWorkerOfBatchesFansOutToo() {
        leat.subscriptions().put(Subscription.to(Q, "billing").queue("bills"));
        leat.worker()
                .handleBatch(Q, String.class, items -> items.forEach(item -> ran.add(item.payload())))
                .start();

        leat.publish(Q, "order 1");
        leat.put(Q, "plain");

        await("the copy to be put", () -> leat.queue("bills").stats().count(TaskState.READY) == 1);
        await("the other task to run", () -> List.copyOf(ran).equals(List.of("plain")));
    }

    @Test
    void whatWaitsForADisabledSubscriptionIsCanceled() {
        subscribe("billing");
        leat.publish(Q, "order 1");
        leat.ack(takeOne());
        long copy = copyFor("billing").id();

        leat.subscriptions().disable("billing", "it moved");

        assertThat(peek(copy).state()).isEqualTo(TaskState.CANCELED);
        assertThat(peek(copy).message()).contains("it moved");
        leat.publish(Q, "order 2");
        leat.ack(takeOne());
        assertThat(leat.queue(Q).stats().live()).isZero();

        leat.subscriptions().enable("billing");
        leat.publish(Q, "order 3");
        leat.ack(takeOne());
        assertThat(leat.queue(Q).stats().live()).isEqualTo(1);
    }

    @Test
    void aCopyThatWasPutBeforeIsNotRunAfterSomebodyDisabledTheSubscription() {
        subscribe("billing");
        leat.publish(Q, "order 1");
        leat.ack(takeOne());
        long copy = copyFor("billing").id();
        leat.storage().subscriptions().put(Subscription.to(Q, "billing").disabled("by plain SQL"));

        leat.worker()
                .subscriber(Q, "billing", String.class, (order, task) -> ran.add(order))
                .start();

        awaitState(copy, TaskState.CANCELED);
        assertThat(peek(copy).message()).contains("by plain SQL");
        assertThat(ran).isEmpty();
    }

    @Test
    void disablingDoesNotBringAnOlderUrlBack() {
        Subscription billing = Subscription.to(Q, "billing");
        leat.subscriptions().put(billing.webhook(Webhook.to("https://example.com/old")));
        Faults faults = new Faults();
        Faults.Hold reading = faults.hold("subscriptions.find");
        Leat other = openOn(faults.between(storage));
        CompletableFuture<?> disabling =
                CompletableFuture.runAsync(() -> other.subscriptions().disable("billing", "too slow"));
        await("it to be read or disabled", () -> reading.isReached() || disabling.isDone());

        leat.subscriptions().put(billing.webhook(Webhook.to("https://example.com/new")));
        reading.release();
        disabling.join();

        assertThat(leat.subscriptions().find("billing").flatMap(Subscription::webhook))
                .contains(Webhook.to("https://example.com/new"));
    }

    @Test
    void anUnknownSubscriptionCannotBeDisabled() {
        assertThatThrownBy(() -> leat.subscriptions().disable("nobody", "why not"))
                .isInstanceOf(SubscriptionNotFoundException.class)
                .hasMessageContaining("nobody");
    }

    // Tasks for others

    /** Waits until a worker has met the task and given it back. */
    private void awaitLeft(long id) {
        await("task " + id + " to be left", () -> peek(id).previousDue().isPresent());
        assertNeverTried(id);
    }

    private void assertNeverTried(long id) {
        Task task = peek(id);
        assertThat(List.of(task.failures(), task.losses(), task.releases())).containsOnly(0);
        assertThat(task.message()).isEmpty();
        assertThat(leat.attempts(id)).isEmpty();
    }

    private long copyOf(String order, String subscriber) {
        leat.publish(Q, order);
        await("the copy to be put", () -> !leat.list(TaskQuery.of(Q).subscriber(subscriber))
                .isEmpty());
        return copyFor(subscriber).id();
    }

    @Test
    void aWorkerOfPublicationsLeavesAllElseToOthers() {
        subscribe("billing");
        leat.worker().publications(Q).start();
        long plain = leat.put(Q, "plain");
        long copy = copyOf("order 1", "billing");
        awaitLeft(plain);
        awaitLeft(copy);

        leat.worker()
                .handle(Q, String.class, (text, task) -> ran.add(text))
                .subscriber(Q, "billing", String.class, (order, task) -> ran.add(order))
                .start();

        awaitState(plain, TaskState.DONE);
        awaitState(copy, TaskState.DONE);
        assertThat(ran).containsExactlyInAnyOrder("plain", "order 1");
        assertNeverTried(plain);
        assertNeverTried(copy);
        assertThat(peek(plain).attempts()).isEqualTo(1);
    }

    @Test
    void aTaskThatAWorkerLeavesComesBackLaterEachTimeAndHoldsUpNothing() {
        leat.worker().publications(Q).start();
        long plain = leat.put(Q, "plain");

        await("it to come later and later", () -> {
            Task left = peek(plain);
            return left.previousDue()
                    .filter(before -> Duration.between(before, left.due()).compareTo(Duration.ofMillis(800)) >= 0)
                    .isPresent();
        });

        assertNeverTried(plain);
        awaitState(leat.publish(Q, "order 1"), TaskState.DONE);
    }

    @Test
    void aTaskThatOneWorkerLeavesGoesToTheWaitingWorkerThatHandlesIt() {
        leat.worker().publications(Q).start();
        leat.worker().handle(Q, String.class, (text, task) -> ran.add(text)).start();
        await("both to wait", () -> leat.queue(Q).stats().consumers() == 2);

        List<Long> ids =
                IntStream.range(0, 20).mapToObj(i -> leat.put(Q, "plain " + i)).toList();

        ids.forEach(id -> awaitState(id, TaskState.DONE));
        ids.forEach(this::assertNeverTried);
        assertThat(ran).hasSize(20);
    }

    @Test
    void aWorkerOfSubscribersLeavesOrdinaryTasksToOthers() {
        leat.worker()
                .subscriber(Q, "billing", String.class, (order, task) -> ran.add(order))
                .start();
        long plain = leat.put(Q, "plain");
        awaitLeft(plain);

        leat.worker().handle(Q, String.class, (text, task) -> ran.add(text)).start();

        awaitState(plain, TaskState.DONE);
        assertNeverTried(plain);
    }

    @Test
    void aWorkerOfPublicationsLeavesDeadRunsToTheirHandler() {
        createDeadQueue();
        leat.put("dying", "order 1");
        for (int i = 0; i < 2; i++) {
            leat.fail(leat.take("dying").orElseThrow(), "no");
        }
        long dead = leat.list(TaskQuery.of("dying")).get(0).id();
        leat.worker().publications("dying").start();
        await("the dead run to be left", () -> peek(dead).previousDue().isPresent());

        leat.worker()
                .handleDead("dying", String.class, (order, task) -> ran.add("dead " + order))
                .start();

        awaitState(dead, TaskState.DONE);
        assertThat(ran).containsExactly("dead order 1");
    }

    @Test
    void aWorkerLeavesWhatItIsToldTo() {
        assertTheirsAreLeft(leat.worker().handle(Q, String.class, (text, task) -> ran.add(text)));
    }

    @Test
    void aWorkerOfBatchesLeavesWhatItIsToldTo() {
        assertTheirsAreLeft(
                leat.worker().handleBatch(Q, String.class, items -> items.forEach(item -> ran.add(item.payload()))));
    }

    private void assertTheirsAreLeft(Worker.Builder worker) {
        worker.leave(Q, task -> task.type().equals(Optional.of("theirs"))).start();
        long theirs = put(task().payload("theirs").type("theirs"));
        long mine = put(task().payload("mine").type("mine"));

        awaitState(mine, TaskState.DONE);
        awaitLeft(theirs);
        assertThat(ran).containsExactly("mine");
    }

    @Test
    void aLeaveConditionThatThrowsFailsTheTask() {
        leat.worker()
                .handle(Q, String.class, (text, task) -> ran.add(text))
                .leave(Q, task -> {
                    throw new IllegalStateException("cannot tell");
                })
                .start();
        long id = leat.put(Q, "plain");

        await("it to fail", () -> peek(id).failures() > 0);

        assertThat(peek(id).message().orElseThrow()).contains("cannot tell");
        assertThat(ran).isEmpty();
    }

    private TakenTask takeOne() {
        return leat.take(one()).get(0);
    }
}
