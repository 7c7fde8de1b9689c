package dev.leat.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.Subscription;
import dev.leat.SubscriptionNotFoundException;
import dev.leat.SubscriptionQuery;
import dev.leat.json.SubscriptionJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat subscription}: who gets what is published. */
@Command(
        name = "subscription",
        description = "Says who gets what is published with 'leat put TOPIC … --publish'.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SubscriptionCommand.Put.class,
            SubscriptionCommand.ListSubscriptions.class,
            SubscriptionCommand.Show.class,
            SubscriptionCommand.Disable.class,
            SubscriptionCommand.Enable.class,
            SubscriptionCommand.Drop.class
        })
final class SubscriptionCommand {

    @Command(name = "put", description = "Makes a subscription, or changes all of it.", mixinStandardHelpOptions = true)
    static final class Put extends StorageCommand {
        @Parameters(index = "0", paramLabel = "ID", description = "A name of its own; handlers are registered by it.")
        private String id;

        @Parameters(index = "1", paramLabel = "TOPIC", description = "The queue that is published to.")
        private String topic;

        @Option(names = "--queue", paramLabel = "QUEUE", description = "Where its tasks go (default: the topic's).")
        private @Nullable String queue;

        @Option(names = "--tenant", paramLabel = "TENANT", description = "Only what is published for this tenant.")
        private @Nullable String tenant;

        @Option(
                names = "--business-group",
                paramLabel = "GROUP",
                description = "Only what is published for this business group.")
        private @Nullable String businessGroup;

        @Override
        int run(Leat leat, Output out) {
            Subscription subscription = Subscription.to(topic, id);
            subscription = queue == null ? subscription : subscription.queue(queue);
            subscription = tenant == null ? subscription : subscription.tenant(tenant);
            subscription = businessGroup == null ? subscription : subscription.businessGroup(businessGroup);
            return show(leat.subscriptions().put(subscription), out);
        }
    }

    @Command(name = "list", description = "Lists the subscriptions.", mixinStandardHelpOptions = true)
    static final class ListSubscriptions extends StorageCommand {
        @Parameters(arity = "0..1", paramLabel = "TOPIC", description = "Only those of this topic.")
        private @Nullable String topic;

        @Override
        int run(Leat leat, Output out) {
            SubscriptionQuery query = topic == null ? SubscriptionQuery.all() : SubscriptionQuery.of(topic);
            List<Subscription> all = new ArrayList<>();
            List<Subscription> page = leat.subscriptions().list(query.limit(SubscriptionQuery.MAX_LIMIT));
            while (!page.isEmpty()) {
                all.addAll(page);
                page = leat.subscriptions()
                        .list(query.limit(SubscriptionQuery.MAX_LIMIT)
                                .after(page.get(page.size() - 1).id()));
            }
            if (out.isJson()) {
                out.json(all.stream().map(SubscriptionJson::of).toList());
            } else {
                out.table(
                        List.of("SUBSCRIPTION", "TOPIC", "QUEUE", "TENANT", "BUSINESS GROUP", "DISABLED"),
                        all.stream().map(SubscriptionCommand::row).toList());
            }
            return 0;
        }
    }

    @Command(name = "show", description = "Shows a subscription.", mixinStandardHelpOptions = true)
    static final class Show extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Override
        int run(Leat leat, Output out) {
            return show(leat.subscriptions().find(id).orElseThrow(() -> new SubscriptionNotFoundException(id)), out);
        }
    }

    @Command(
            name = "disable",
            description = "Gives a subscription nothing from now on, and cancels what waits for it.",
            mixinStandardHelpOptions = true)
    static final class Disable extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Option(names = "--message", paramLabel = "TEXT", description = "Why; kept with what is canceled.")
        private String message = "";

        @Override
        int run(Leat leat, Output out) {
            return show(leat.subscriptions().disable(id, message), out);
        }
    }

    @Command(
            name = "enable",
            description = "Gives a subscription what is published from now on.",
            mixinStandardHelpOptions = true)
    static final class Enable extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Override
        int run(Leat leat, Output out) {
            return show(leat.subscriptions().enable(id), out);
        }
    }

    @Command(
            name = "drop",
            description = "Forgets a subscription, and cancels what waits for it.",
            mixinStandardHelpOptions = true)
    static final class Drop extends StorageCommand {
        @Mixin
        private Consent consent;

        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Override
        int run(Leat leat, Output out) {
            consent.ask(this, "Forget " + id + ", and cancel what waits for it?");
            if (!leat.subscriptions().drop(id)) {
                throw new SubscriptionNotFoundException(id);
            }
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put("dropped", true));
            } else {
                out.line(id + " is gone.");
            }
            return 0;
        }
    }

    private static int show(Subscription subscription, Output out) {
        if (out.isJson()) {
            out.json(SubscriptionJson.of(subscription));
        } else {
            out.line(subscription.id() + " gets what is published to " + subscription.topic() + " as tasks of "
                    + subscription.queue()
                    + (subscription.isActive()
                            ? ""
                            : ", but is disabled"
                                    + subscription
                                            .whyDisabled()
                                            .map(why -> ": " + why)
                                            .orElse(""))
                    + ".");
        }
        return 0;
    }

    private static List<String> row(Subscription subscription) {
        return List.of(
                subscription.id(),
                subscription.topic(),
                subscription.queue(),
                subscription.tenant().orElse(""),
                subscription.businessGroup().orElse(""),
                subscription.isActive() ? "" : subscription.whyDisabled().orElse("yes"));
    }
}
