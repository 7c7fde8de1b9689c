package dev.leat.storagetests.topic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.storagetests.ContractTest;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** One publication, a task for each subscription. Covers N10, N36 to N39. */
public abstract class TopicContract extends ContractTest {

    private Subscription subscribe(Subscription subscription) {
        return storage.subscriptions().put(subscription);
    }

    private long publish(NewTask.Builder task) {
        return storage.put(List.of(task.publication().build())).get(0).id();
    }

    private SettleResult fanOut() {
        TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);
        return storage.settle(List.of(Settle.ack(taken.lease()))).get(0);
    }

    private List<Task> copies() {
        return storage.list(TaskQuery.live().limit(100)).stream()
                .filter(task -> task.publicationId().isPresent())
                .toList();
    }

    private List<String> subscribers() {
        return copies().stream()
                .map(task -> task.subscriber().orElseThrow())
                .sorted()
                .toList();
    }

    // Subscriptions

    @Test
    void aSubscriptionIsKeptAsItWasPut() {
        Subscription put = subscribe(
                Subscription.to(Q, "billing").queue("bills").tenant("acme").businessGroup("north"));

        assertThat(put.created()).contains(storage.now());
        assertThat(storage.subscriptions().find("billing")).contains(put);
        assertThat(put.queue()).isEqualTo("bills");
        assertThat(put.tenant()).contains("acme");
        assertThat(put.businessGroup()).contains("north");
        assertThat(put.isActive()).isTrue();
        assertThat(storage.subscriptions().find("shipping")).isEmpty();
    }

    @Test
    void aSubscriptionIsChangedByAnotherPut() {
        Subscription first = subscribe(Subscription.to(Q, "billing").tenant("acme"));
        advance(seconds(10));

        Subscription second = subscribe(Subscription.to(Q, "billing").disabled("too slow"));

        assertThat(second.created()).isEqualTo(first.created());
        assertThat(second.tenant()).isEmpty();
        assertThat(second.isActive()).isFalse();
        assertThat(second.whyDisabled()).contains("too slow");
        assertThat(storage.subscriptions().find("billing")).contains(second);
    }

    @Test
    void subscriptionsAreListedByTheirIdsInPages() {
        for (String id : List.of("c", "a", "b")) {
            subscribe(Subscription.to(Q, id));
        }
        subscribe(Subscription.to("other", "aa"));

        assertThat(storage.subscriptions().list(SubscriptionQuery.all()))
                .extracting(Subscription::id)
                .containsExactly("a", "aa", "b", "c");
        assertThat(storage.subscriptions().list(SubscriptionQuery.of(Q).limit(2)))
                .extracting(Subscription::id)
                .containsExactly("a", "b");
        assertThat(storage.subscriptions().list(SubscriptionQuery.of(Q).after("b")))
                .extracting(Subscription::id)
                .containsExactly("c");
    }

    @Test
    void disablingAndEnablingChangeNothingElse() {
        Subscription put = subscribe(Subscription.to(Q, "billing")
                .queue("bills")
                .tenant("acme")
                .webhook(Webhook.to("https://example.com/a?b=c")
                        .header("x", "y")
                        .secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
                        .timeout(seconds(3))));

        assertThat(storage.subscriptions().disable("billing", "too slow", Optional.empty()))
                .contains(put.disabled("too slow"));
        assertThat(storage.subscriptions().find("billing")).contains(put.disabled("too slow"));
        assertThat(storage.subscriptions().disable("billing", " ", Optional.empty()))
                .contains(put.disabled(""));
        assertThat(storage.subscriptions().enable("billing")).contains(put);
        assertThat(storage.subscriptions().find("billing")).contains(put);
    }

    @Test
    void aSubscriptionMayBeDisabledOnlyWhileItIsSentToAUrl() {
        Subscription there = subscribe(Subscription.to(Q, "billing").webhook(Webhook.to("https://example.com/new")));
        Subscription nowhere = subscribe(Subscription.to(Q, "shipping"));

        assertThat(storage.subscriptions().disable("billing", "gone", Optional.of("https://example.com/old")))
                .isEmpty();
        assertThat(storage.subscriptions().disable("shipping", "gone", Optional.of("https://example.com/old")))
                .isEmpty();
        assertThat(storage.subscriptions().find("billing")).contains(there);
        assertThat(storage.subscriptions().find("shipping")).contains(nowhere);

        assertThat(storage.subscriptions().disable("billing", "gone", Optional.of("https://example.com/new")))
                .contains(there.disabled("gone"));
    }

    @Test
    void noneIsMadeByDisablingOrEnablingIt() {
        assertThat(storage.subscriptions().disable("nobody", "why not", Optional.empty()))
                .isEmpty();
        assertThat(storage.subscriptions().enable("nobody")).isEmpty();
        assertThat(storage.subscriptions().find("nobody")).isEmpty();
    }

    @Test
    void aSubscriptionIsDropped() {
        subscribe(Subscription.to(Q, "billing"));

        assertThat(storage.subscriptions().drop("billing")).isTrue();
        assertThat(storage.subscriptions().drop("billing")).isFalse();
        assertThat(storage.subscriptions().find("billing")).isEmpty();
    }

    // Fan-out

    @Test
    void theAckOfAPublicationPutsATaskForEachSubscription() { // N10, N36, N39
        subscribe(Subscription.to(Q, "billing"));
        subscribe(Subscription.to(Q, "shipping"));
        subscribe(Subscription.to("other", "elsewhere"));
        long id = publish(task().payload("order 1")
                .priority(3)
                .tenant("acme")
                .type("order")
                .tag("n", 7)
                .externalKey("o1"));

        assertThat(copies()).isEmpty();
        assertThat(fanOut().state()).isEqualTo(TaskState.DONE);

        assertThat(subscribers()).containsExactly("billing", "shipping");
        for (Task copy : copies()) {
            assertThat(copy.publicationId()).hasValue(id);
            assertThat(copy.isPublication()).isFalse();
            assertThat(copy.state()).isEqualTo(TaskState.READY);
            assertThat(copy.payload().text()).isEqualTo("order 1");
            assertThat(copy.priority()).isEqualTo(3);
            assertThat(copy.tenant()).contains("acme");
            assertThat(copy.type()).contains("order");
            assertThat(copy.tags()).containsEntry("n", 7L);
            assertThat(copy.externalKey()).contains("o1");
        }
        assertThat(storage.peek(id).orElseThrow().message()).contains("put for 2 subscribers");
    }

    @Test
    void aPublicationIsAPublicationAlsoWhenItIsTakenAndListed() {
        long id = publish(task());

        assertThat(storage.peek(id).orElseThrow().isPublication()).isTrue();
        assertThat(storage.take(TakeRequest.from(Q)).get(0).task().isPublication())
                .isTrue();
    }

    @Test
    void withoutSubscribersItIsDoneAndSaysSo() { // N38
        long id = publish(task());

        assertThat(fanOut().state()).isEqualTo(TaskState.DONE);

        assertThat(storage.peek(id).orElseThrow().message()).contains("nobody has subscribed: nothing was put");
        assertThat(storage.queues().stats(Q).live()).isZero();
    }

    @Test
    void aSubscriptionForATenantGetsOnlyWhatIsForIt() { // N37
        subscribe(Subscription.to(Q, "all"));
        subscribe(Subscription.to(Q, "acme").tenant("acme"));
        subscribe(Subscription.to(Q, "acme-north").tenant("acme").businessGroup("north"));
        subscribe(Subscription.to(Q, "north").businessGroup("north"));

        publish(task());
        fanOut();
        assertThat(subscribers()).containsExactly("all"); // the wildcard is the subscription's alone
        truncate();
        publish(task().tenant("acme"));
        fanOut();
        assertThat(subscribers()).containsExactly("acme", "all");
        truncate();
        publish(task().tenant("acme").businessGroup("north"));
        fanOut();
        assertThat(subscribers()).containsExactly("acme", "acme-north", "all", "north");
        truncate();
        publish(task().tenant("other").businessGroup("north"));
        fanOut();
        assertThat(subscribers()).containsExactly("all", "north");
    }

    private void truncate() {
        storage.queues().truncate(Q);
    }

    @Test
    void aDisabledSubscriptionGetsNothing() { // N37
        subscribe(Subscription.to(Q, "billing").disabled("not now"));
        publish(task());

        fanOut();

        assertThat(copies()).isEmpty();
    }

    @Test
    void theSubscriptionsAtTheTimeOfTheAckCount() {
        publish(task());
        TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);
        subscribe(Subscription.to(Q, "late"));

        storage.settle(List.of(Settle.ack(taken.lease())));

        assertThat(subscribers()).containsExactly("late");
    }

    @Test
    void copiesGoToTheSubscriptionsQueue() {
        storage.queues().create("bills", QueueOptions.standard());
        subscribe(Subscription.to(Q, "billing").queue("bills"));
        publish(task());

        fanOut();

        assertThat(storage.take(TakeRequest.from("bills")).get(0).task().subscriber())
                .contains("billing");
        assertThat(storage.take(TakeRequest.from(Q))).isEmpty();
    }

    @Test
    void aMissingQueueIsMadeForTheCopies() {
        subscribe(Subscription.to(Q, "billing").queue("unheard-of"));
        publish(task());

        fanOut();

        assertThat(storage.take(TakeRequest.from("unheard-of"))).hasSize(1);
    }

    @Test
    void theAddressAndTheGroupOfAPublicationAreItsOwn() {
        subscribe(Subscription.to(Q, "a"));
        subscribe(Subscription.to(Q, "b"));
        publish(task().address("home"));

        fanOut();

        assertThat(copies()).hasSize(2).allMatch(copy -> copy.address().isEmpty());
    }

    @Test
    void theTimeToLiveOfAPublicationIsItsOwn() {
        subscribe(Subscription.to(Q, "billing"));
        publish(task().ttl(minutes(1)));
        fanOut();

        assertThat(copies()).singleElement().satisfies(copy -> assertThat(copy.expires())
                .isEmpty());
    }

    @Test
    void aRepeatedAckPutsNothingMore() { // rule 9
        subscribe(Subscription.to(Q, "billing"));
        publish(task());
        TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);
        Settle ack = Settle.ack(taken.lease());

        storage.settle(List.of(ack));

        assertThat(storage.settle(List.of(ack)).get(0).status()).isEqualTo(SettleResult.Status.ALREADY);
        assertThat(copies()).hasSize(1);
    }

    @Test
    void aPublicationThatFailsPutsNothing() {
        subscribe(Subscription.to(Q, "billing"));
        publish(task());
        TakenTask taken = storage.take(TakeRequest.from(Q)).get(0);

        storage.settle(List.of(Settle.fail(taken.lease(), "not today")));

        assertThat(copies()).isEmpty();
    }

    @Test
    void eachCopyHasAnEndOfItsOwn() { // N39
        subscribe(Subscription.to(Q, "a"));
        subscribe(Subscription.to(Q, "b"));
        publish(task());
        fanOut();
        List<TakenTask> taken = storage.take(TakeRequest.from(Q).count(2));

        storage.settle(List.of(
                Settle.ack(taken.get(0).lease()), Settle.bury(taken.get(1).lease(), "no")));

        assertThat(storage.peek(taken.get(0).id()).orElseThrow().state()).isEqualTo(TaskState.DONE);
        Task buried = storage.peek(taken.get(1).id()).orElseThrow();
        assertThat(buried.state()).isEqualTo(TaskState.BURIED);
        assertThat(buried.subscriber()).isPresent();
    }

    @Test
    void finishedCopiesRememberWhereTheyCameFrom() {
        subscribe(Subscription.to(Q, "a"));
        long id = publish(task());
        fanOut();
        TakenTask copy = storage.take(TakeRequest.from(Q)).get(0);

        storage.settle(List.of(Settle.ack(copy.lease())));

        Task done = storage.peek(copy.id()).orElseThrow();
        assertThat(done.publicationId()).hasValue(id);
        assertThat(done.subscriber()).contains("a");
    }

    @Test
    void copiesAreFoundByTheirSubscription() {
        subscribe(Subscription.to(Q, "a"));
        subscribe(Subscription.to(Q, "b"));
        publish(task());
        fanOut();

        assertThat(storage.list(TaskQuery.of(Q).subscriber("b")))
                .extracting(task -> task.subscriber().orElseThrow())
                .containsExactly("b");
    }

    @Test
    void aPublicationForManyIsOneStep() {
        int many = 3_000;
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            ids.add(String.format("s%04d", i));
        }
        ids.forEach(id -> subscribe(Subscription.to(Q, id)));
        long id = publish(task());

        fanOut();

        List<Task> all = storage.list(TaskQuery.of(Q).limit(10_000));
        assertThat(all).hasSize(many).allMatch(task -> task.publicationId().equals(OptionalLong.of(id)));
        assertThat(all).extracting(task -> task.subscriber().orElseThrow()).containsExactlyElementsOf(ids);
    }
}
