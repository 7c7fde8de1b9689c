package dev.leat.storagetests.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.Leat;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.SubscriptionNotFoundException;
import dev.leat.error.TaskNotFoundException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.storagetests.ContractTest;
import dev.leat.storagetests.Faults;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Subscriptions that get once more what they have had, and those with a URL. */
public abstract class ReplayContract extends ContractTest {
    /** What is done there keeps its payload; the first failure is followed by a dead run. */
    private static final String COPIES = "copies";

    private Leat leat;

    @BeforeEach
    void openLeat() {
        leat = Leat.builder("").storage(new Faults().between(storage)).open();
        storage.queues()
                .create(
                        COPIES,
                        QueueOptions.builder()
                                .retry(RetryPolicy.standard().maxFailures(1).backoff(Backoff.none()))
                                .exhaustion(Exhaustion.DEAD_HANDLER)
                                .retention(Retention.standard().donePayload(Retention.DonePayload.KEEP))
                                .build());
        leat.subscriptions().put(Subscription.to(Q, "billing").queue(COPIES));
    }

    @AfterEach
    void closeLeat() {
        leat.close();
    }

    private TakenTask published(String payload) {
        storage.put(
                List.of(task(payload).priority(7).tenant("acme").publication().build()));
        settle(Settle.ack(takeFrom(Q).lease()));
        return takeFrom(COPIES);
    }

    private TakenTask takeFrom(String queue) {
        return storage.take(TakeRequest.from(queue)).get(0);
    }

    private long done(String payload) {
        TakenTask copy = published(payload);
        settle(Settle.ack(copy.lease()));
        return copy.id();
    }

    private List<String> waiting() {
        return storage.list(TaskQuery.of(COPIES).state(TaskState.READY)).stream()
                .map(task -> task.payload().text())
                .toList();
    }

    // URLs

    @Test
    void aWebhookIsKeptAsItWasPut() {
        Webhook webhook = Webhook.to("https://shop.example.com/hooks?a=b&c='%20\"")
                .method("PATCH")
                .header("Authorization", "Bearer \"a\\b\"")
                .header("X-Empty", "")
                .secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
                .secret("whsk_VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=")
                .timeout(Duration.ofMillis(1_500));

        Subscription put = leat.subscriptions().put(Subscription.to(Q, "shop").webhook(webhook));

        assertThat(put.webhook()).contains(webhook);
        assertThat(storage.subscriptions().find("shop")).contains(put);
        leat.subscriptions().disable("shop", "not now");
        assertThat(leat.subscriptions().enable("shop")).isEqualTo(put);
        leat.subscriptions().put(Subscription.to(Q, "shop"));
        assertThat(storage.subscriptions().find("shop").orElseThrow().webhook()).isEmpty();
    }

    @Test
    void aWebhookThatNobodyCouldCallIsNotPut() {
        Webhook right = Webhook.to("https://shop.example.com");
        for (Webhook wrong : List.of(
                Webhook.to("ftp://shop.example.com"),
                Webhook.to("https://shop.example.com/…"),
                Webhook.to("https://" + "x".repeat(4_096)),
                right.method("FETCH"),
                right.header("", "s3cret"),
                right.header("X-Key", "s3cret\n"),
                right.header("X: Key", "s3cret"),
                right.secret("s3cret"),
                right.timeout(Duration.ofHours(1)))) {
            assertThatThrownBy(() ->
                            leat.subscriptions().put(Subscription.to(Q, "shop").webhook(wrong)))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageNotContaining("s3cret");
        }
        assertThat(storage.subscriptions().find("shop")).isEmpty();
    }

    // Once more

    @Test
    void aCopyIsPutOnceMore() {
        long id = done("order 1");

        long again = leat.subscriptions().replay(id);

        Task first = peek(id);
        Task second = peek(again);
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.state()).isEqualTo(TaskState.READY);
        assertThat(second.payload()).isEqualTo(first.payload());
        assertThat(second.publicationId()).isEqualTo(first.publicationId());
        assertThat(second.subscriber()).contains("billing");
        assertThat(second.tenant()).contains("acme");
        assertThat(second.priority()).isEqualTo(7);
        assertThat(first.state()).isEqualTo(TaskState.DONE);
    }

    @Test
    void aReplayGoesWhereTheSubscriptionIsNow() {
        long id = done("order 1");
        leat.subscriptions().put(Subscription.to(Q, "billing").queue("elsewhere"));

        long again = leat.subscriptions().replay(id);

        assertThat(peek(again).queue()).isEqualTo("elsewhere");
    }

    @Test
    void whatIsNoCopyIsNotReplayed() {
        settle(Settle.fail(published("order 1").lease(), "no"));
        long deadRun = takeFrom(COPIES).id();
        long plain = put("plain");

        for (long id : new long[] {plain, deadRun}) {
            assertThatThrownBy(() -> leat.subscriptions().replay(id))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("task " + id + " is no copy of a publication");
        }
        assertThatThrownBy(() -> leat.subscriptions().replay(4_711)).isInstanceOf(TaskNotFoundException.class);
    }

    @Test
    void whatWasForADroppedSubscriptionIsNotReplayed() {
        long id = done("order 1");
        leat.subscriptions().drop("billing");

        assertThatThrownBy(() -> leat.subscriptions().replay(id)).isInstanceOf(SubscriptionNotFoundException.class);
        assertThatThrownBy(() -> leat.subscriptions().replay("billing", Instant.MIN, Instant.MAX))
                .isInstanceOf(SubscriptionNotFoundException.class);
    }

    @Test
    void whatDoesNotHaveItsPayloadAnyMoreIsNotReplayed() {
        leat.subscriptions().put(Subscription.to(Q, "shop"));
        published("order 1");
        TakenTask copy = takeFrom(Q);
        settle(Settle.ack(copy.lease()));
        storage.put(List.of(task("order 2").publication().build()));
        settle(Settle.ack(takeFrom(Q).lease()));
        settle(Settle.bury(takeFrom(Q).lease(), "it has its payload"));
        advance(seconds(10));

        assertThatThrownBy(() -> leat.subscriptions().replay(copy.id()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("task " + copy.id() + " does not have its payload any more; queue '" + Q + "'");
        assertThatThrownBy(() -> leat.subscriptions().replay("shop", Instant.MIN, Instant.MAX))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("does not have its payload any more");
        assertThat(storage.list(TaskQuery.of(Q).state(TaskState.READY))).isEmpty();
    }

    @Test
    void aSpanOfTimeIsReplayed() {
        done("too early");
        advance(seconds(10));
        Instant from = now();
        done("done");
        settle(Settle.bury(published("buried").lease(), "no"));
        published("running");
        advance(seconds(10));
        Instant until = now();
        done("too late");

        assertThat(leat.subscriptions().replay("billing", from, until)).isEqualTo(2);

        assertThat(waiting()).containsExactly("done", "buried");
    }

    @Test
    void deadRunsAreNotReplayedWithTheirCopies() {
        settle(Settle.fail(published("order 1").lease(), "no"));
        settle(Settle.ack(takeFrom(COPIES).lease()));
        advance(seconds(10));

        assertThat(leat.subscriptions().replay("billing", Instant.MIN, Instant.MAX))
                .isEqualTo(1);
        assertThat(waiting()).containsExactly("order 1");
    }

    @Test
    void aReplayIsNotReplayedByItself() {
        for (int i = 0; i < 3; i++) {
            done("order " + i);
        }
        advance(seconds(10));
        leat.subscriptions().replay("billing", Instant.MIN, Instant.MAX);
        storage.take(TakeRequest.from(COPIES).count(10)).forEach(taken -> settle(Settle.ack(taken.lease())));

        // These were put at this very moment, as are those of a worker that is quicker than the replay.
        assertThat(leat.subscriptions().replay("billing", now(), now().plusSeconds(60)))
                .isZero();
    }
}
