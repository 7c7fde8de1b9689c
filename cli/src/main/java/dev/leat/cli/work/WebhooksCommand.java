package dev.leat.cli.work;

import dev.leat.Leat;
import dev.leat.cli.command.HaltChannel;
import dev.leat.cli.command.NsjEnvironment;
import dev.leat.cli.command.Reach;
import dev.leat.cli.console.OnInterrupt;
import dev.leat.cli.console.Output;
import dev.leat.cli.queue.SubscriptionCommand;
import dev.leat.error.ClosedException;
import dev.leat.error.StorageException;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.webhook.WebhookHandler;
import dev.leat.webhook.WebhookSender;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat webhooks}: delivers publications to the URLs of their subscriptions. */
@Command(
        name = "webhooks",
        description = {
            "Sends what is published to the URLs of its subscriptions, until Ctrl-C.",
            "It serves the queues that are named, or else those of all subscriptions with a URL, also of later ones.",
            "What comes there without a URL is left to other workers."
        },
        mixinStandardHelpOptions = true)
public final class WebhooksCommand extends ServingCommand {
    private static final Logger log = LoggerFactory.getLogger(WebhooksCommand.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    @Mixin
    private Reach reach;

    @Parameters(arity = "0..*", paramLabel = "QUEUE", description = "Where subscriptions with a URL get their tasks.")
    private List<String> named = List.of();

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "16",
            description = "How many are sent at once from each queue (default: ${DEFAULT-VALUE}).")
    private int concurrency;

    /** Why the last look for new subscriptions failed; empty if it did not. */
    private String trouble = "";

    @Override
    protected int run(Leat leat, Output out) throws InterruptedException {
        CountDownLatch isStopping = new CountDownLatch(1);
        CountDownLatch isStopped = new CountDownLatch(1);
        WebhookSender sender = reach.sender();
        WebhookHandler handler = handler(sender);
        OnInterrupt unused = new OnInterrupt("leat-webhooks-stop", () -> {
            isStopping.countDown();
            leat.close();
            sender.close();
            remark("Stopped.");
            logs().close();
            isStopped.countDown();
        });
        Set<String> served = new TreeSet<>();
        try (HaltChannel halts = listenForHalt()) {
            do {
                serveNew(leat, handler, served);
            } while (!isStopping.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS));
        }
        isStopped.await();
        return 0;
    }

    /** The storage may come back, or the command may be stopped: neither is an error. */
    private void serveNew(Leat leat, WebhookHandler handler, Set<String> served) {
        try {
            for (String queue : queues(leat)) {
                if (!served.contains(queue)) {
                    serve(leat, queue, handler);
                    served.add(queue);
                }
            }
            trouble = "";
        } catch (StorageException e) {
            tellOnce(String.valueOf(e.getMessage()));
        } catch (ClosedException e) {
            log.debug("Stopped meanwhile", e);
        }
    }

    private void tellOnce(String message) {
        if (!message.equals(trouble)) {
            log.warn("New subscriptions cannot be looked for now: {}", message);
        }
        trouble = message;
    }

    private void serve(Leat leat, String queue, WebhookHandler handler) {
        prepare(leat, queue);
        leat.worker()
                .otherSubscribers(queue, byte[].class, handler)
                .leave(queue, WebhookHandler.withoutUrl(leat))
                .concurrency(concurrency)
                .start();
        remark("Sends what comes to " + queue + ".");
    }

    private WebhookHandler handler(WebhookSender sender) {
        return nsjEnvironment()
                .flatMap(NsjEnvironment::webhookTimeout)
                .map(timeout -> new WebhookHandler(sender, timeout))
                .orElseGet(() -> new WebhookHandler(sender));
    }

    private Set<String> queues(Leat leat) {
        Set<String> queues = new TreeSet<>(named);
        if (named.isEmpty()) {
            SubscriptionCommand.all(leat, SubscriptionQuery.all()).stream()
                    .filter(subscription -> subscription.webhook().isPresent())
                    .map(Subscription::queue)
                    .forEach(queues::add);
        }
        return queues;
    }
}
