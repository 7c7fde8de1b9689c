package dev.leat.webhook;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.When;
import dev.leat.error.AccessDeniedException;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueInfo;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import dev.leat.worker.Handler;
import dev.leat.worker.RunningTask;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers publications to the URLs of their subscriptions. Each delivery reads its subscription.
 *
 * <pre>{@code
 * leat.worker().otherSubscribers("orders", byte[].class, new WebhookHandler(sender)).start();
 * }</pre>
 *
 * <p>What fails is tried again as its queue says, with 429 and 503 not before the time they ask for. A receiver that is paused or busy costs
 * no attempt. One that is gone (410) has its subscription disabled, and an address that must not be called gets its task buried.
 */
public final class WebhookHandler implements Handler<byte[]> {
    private static final Logger log = LoggerFactory.getLogger(WebhookHandler.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final WebhookSender sender;
    private final Duration timeout;
    /** Subscriptions that are gone and could not be disabled, each of which is worth one word. */
    private final Set<String> toldGone = ConcurrentHashMap.newKeySet();

    /**
     * With a timeout of 20 seconds for subscriptions that name none.
     *
     * @param sender the caller closes it after the worker
     */
    public WebhookHandler(WebhookSender sender) {
        this(sender, TIMEOUT);
    }

    /** @param timeout of a delivery whose subscription names none; up to 10 minutes */
    public WebhookHandler(WebhookSender sender, Duration timeout) {
        this.sender = sender;
        this.timeout = Endpoint.checkTimeout(timeout);
    }

    /**
     * The id by which a receiver recognises a publication: the same for each attempt and each redelivery. Two subscriptions have
     * different ones, lest a receiver of both takes the second for a repetition; so have those of two databases, both of which count their
     * publications from 1.
     */
    public static String messageId(Task copy, Subscription subscription) {
        String whose = subscription.created().orElse(Instant.EPOCH) + " " + subscription.id();
        CRC32 sum = new CRC32();
        sum.update(whose.getBytes(StandardCharsets.UTF_8));
        return "pub_" + copy.publicationId().orElse(copy.id()) + "_" + Long.toHexString(sum.getValue());
    }

    /**
     * What no URL is for, to be left to other workers of a queue by one that only sends: {@code .leave("orders",
     * WebhookHandler.withoutUrl(leat))}. What has been published is none of it, nor what nobody wants any more.
     */
    public static Predicate<Task> withoutUrl(Leat leat) {
        return task -> !task.isPublication()
                && task.subscriber()
                        .map(id -> leat.subscriptions()
                                .find(id)
                                .filter(subscription -> subscription.isActive()
                                        && subscription.webhook().isEmpty())
                                .isPresent())
                        .orElse(true);
    }

    @Override
    public void handle(byte[] payload, RunningTask task) {
        Subscription subscription = subscription(task);
        Webhook webhook = subscription
                .webhook()
                .orElseThrow(() -> new InvalidRequestException(
                        "subscription", "'" + subscription.id() + "' has neither a handler nor a URL"));
        try {
            Endpoint endpoint = Endpoint.of(webhook.timeout(webhook.timeout().orElse(timeout)));
            Message message = new Message(
                    messageId(task.task(), subscription), task.task().payload());
            Delivery delivery = sender.send(endpoint, message);
            String answer = delivery.shown().isEmpty() ? "" : ": " + delivery.shown();
            task.ack(endpoint + " answered " + delivery.status() + answer);
        } catch (InvalidRequestException e) {
            task.bury("This cannot be sent for subscription '" + subscription.id() + "': " + e.getMessage());
        } catch (DeliveryException e) {
            settle(e, subscription.id(), webhook, task);
        }
    }

    private void settle(DeliveryException e, String subscription, Webhook webhook, RunningTask task) {
        String why = String.valueOf(e.getMessage());
        if (e.reason() == DeliveryException.Reason.HELD_BACK) {
            task.release(e.retryAfter().orElseThrow());
        } else if (e.gone() && isWantedNoMore(subscription, webhook, why, task.leat())) {
            task.cancel(why);
        } else if (e.reason() == DeliveryException.Reason.REFUSED) {
            task.bury(why);
        } else if (e.retryAfter().isPresent() && isLater(e.retryAfter().get(), task)) {
            task.retry(When.in(e.retryAfter().get()), why);
        } else {
            task.fail(why, e.status().orElse(0));
        }
    }

    /** The URL that is gone may be the old one of a receiver that has moved. Who may not disable it still need not call it again. */
    private boolean isWantedNoMore(String subscription, Webhook webhook, String why, Leat leat) {
        try {
            return leat.subscriptions().disableIfSentTo(subscription, webhook.url(), why);
        } catch (AccessDeniedException e) {
            if (toldGone.add(subscription)) {
                log.warn(
                        "The receiver of subscription '{}' is gone, but stays subscribed: {}",
                        subscription,
                        e.getMessage());
            }
            return true;
        }
    }

    /** Whether it is later than the queue would try again: "at once" must not use up all attempts in a moment. */
    private static boolean isLater(Duration wait, RunningTask task) {
        Task failed = task.task();
        Instant now = task.leat().storage().now();
        Optional<QueueInfo> queue = task.leat().queue(failed.queue()).info();
        return queue.map(info -> info.options().retry().nextDue(failed.failures() + 1, failed.due(), now, 0))
                .filter(usual -> usual.isAfter(now.plus(wait)))
                .isEmpty();
    }

    private static Subscription subscription(RunningTask task) {
        String id = task.task()
                .subscriber()
                .orElseThrow(() -> new InvalidRequestException(
                        "task", task.id() + " is no copy of a publication, and has no URL to go to"));
        return task.leat()
                .subscriptions()
                .find(id)
                .orElseThrow(() -> new InvalidRequestException("subscription", "'" + id + "' is gone"));
    }
}
