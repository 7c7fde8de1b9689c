package dev.leat.cli.queue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.Leat;
import dev.leat.Payload;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.cli.command.Consent;
import dev.leat.cli.command.Reach;
import dev.leat.cli.command.StorageCommand;
import dev.leat.cli.console.Output;
import dev.leat.cli.task.TaskPage;
import dev.leat.cli.task.TaskRows;
import dev.leat.error.SubscriptionNotFoundException;
import dev.leat.json.SubscriptionJson;
import dev.leat.storage.StorageSettings;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import dev.leat.webhook.Delivery;
import dev.leat.webhook.Endpoint;
import dev.leat.webhook.Message;
import dev.leat.webhook.WebhookSender;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leat subscription}: the subscribers of topics. */
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
            SubscriptionCommand.Drop.class,
            SubscriptionCommand.Log.class,
            SubscriptionCommand.Replay.class,
            SubscriptionCommand.Ping.class
        })
public final class SubscriptionCommand {
    private static final List<String> LOGGED = List.of("TASK", "PUBLICATION", "STATE", "ATTEMPTS", "PUT", "MESSAGE");

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

        @Option(
                names = "--url",
                paramLabel = "URL",
                description = "Sent there by 'leat webhooks', instead of run by a handler.")
        private @Nullable String url;

        @Option(
                names = "--method",
                paramLabel = "METHOD",
                description = "GET, POST, PUT, DELETE or PATCH (default: POST).")
        private @Nullable String method;

        @Option(
                names = "--header",
                paramLabel = "NAME=VALUE",
                description = "Sent with each; may be given several times.")
        private Map<String, String> headers = Map.of();

        @Option(
                names = "--secret",
                paramLabel = "KEY",
                description = "Signs each: whsec_… or whsk_…, several while they change.")
        private List<String> secrets = List.of();

        @Option(names = "--timeout", paramLabel = "TIME", description = "How long a delivery may take (default: 20s).")
        private @Nullable Duration timeout;

        @Override
        public StorageSettings.IfMissing ifMissing() {
            return StorageSettings.IfMissing.CREATE;
        }

        @Override
        protected int run(Leat leat, Output out) {
            Subscription subscription = Subscription.to(topic, id);
            subscription = webhook().map(subscription::webhook).orElse(subscription);
            subscription = queue == null ? subscription : subscription.queue(queue);
            subscription = tenant == null ? subscription : subscription.tenant(tenant);
            subscription = businessGroup == null ? subscription : subscription.businessGroup(businessGroup);
            return show(leat.subscriptions().put(subscription), out);
        }

        private Optional<Webhook> webhook() {
            if (url == null) {
                if (method != null || timeout != null || !headers.isEmpty() || !secrets.isEmpty()) {
                    throw wrong("--method, --header, --secret and --timeout need a --url");
                }
                return Optional.empty();
            }
            Webhook webhook = Webhook.to(url);
            webhook = method == null ? webhook : webhook.method(method.toUpperCase(Locale.ROOT));
            webhook = timeout == null ? webhook : webhook.timeout(timeout);
            for (Map.Entry<String, String> header : headers.entrySet()) {
                webhook = webhook.header(header.getKey(), header.getValue());
            }
            for (String secret : secrets) {
                webhook = webhook.secret(secret);
            }
            Endpoint unused = Endpoint.of(webhook); // says now what would be wrong later
            return Optional.of(webhook);
        }
    }

    @Command(name = "list", description = "Lists the subscriptions.", mixinStandardHelpOptions = true)
    static final class ListSubscriptions extends StorageCommand {
        @Parameters(arity = "0..1", paramLabel = "TOPIC", description = "Only those of this topic.")
        private @Nullable String topic;

        @Override
        protected int run(Leat leat, Output out) {
            SubscriptionQuery query = topic == null ? SubscriptionQuery.all() : SubscriptionQuery.of(topic);
            List<Subscription> all = all(leat, query);
            if (out.isJson()) {
                out.json(all.stream().map(SubscriptionJson::shown).toList());
            } else {
                out.table(
                        List.of("SUBSCRIPTION", "TOPIC", "QUEUE", "TENANT", "BUSINESS GROUP", "URL", "DISABLED"),
                        all.stream().map(SubscriptionCommand::describe).toList());
            }
            return 0;
        }
    }

    @Command(name = "show", description = "Shows a subscription.", mixinStandardHelpOptions = true)
    static final class Show extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Override
        protected int run(Leat leat, Output out) {
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
        protected int run(Leat leat, Output out) {
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
        protected int run(Leat leat, Output out) {
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
        protected int run(Leat leat, Output out) {
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

    @Command(
            name = "log",
            description = "Lists what a subscription got, and what became of it; 'leat peek ID' tells each attempt.",
            mixinStandardHelpOptions = true)
    static final class Log extends StorageCommand {
        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Mixin
        private TaskPage page;

        @Override
        protected int run(Leat leat, Output out) {
            TaskQuery all =
                    TaskQuery.live().states(EnumSet.allOf(TaskState.class)).subscriber(id);
            return page.show(this, leat, all, out, LOGGED, SubscriptionCommand::row);
        }
    }

    @Command(
            name = "replay",
            description = {
                "Puts again what a subscription has had: one task, or all that was put in a span of time.",
                "Of what is done, its queue must have kept the payload."
            },
            mixinStandardHelpOptions = true)
    static final class Replay extends StorageCommand {
        @Parameters(paramLabel = "TASK|ID", description = "A task as 'log' shows it, or with --from a subscription.")
        private String taskOrId;

        @Option(names = "--from", paramLabel = "TIME", description = "From when on, such as 2026-11-17T08:00:00Z.")
        private @Nullable Instant from;

        @Option(names = "--until", paramLabel = "TIME", description = "Until when (default: now).")
        private @Nullable Instant until;

        @Override
        protected int run(Leat leat, Output out) {
            if (from == null) {
                if (until != null || !taskOrId.matches("\\d{1,18}")) {
                    throw wrong("Name a task, or a subscription and --from");
                }
                long task = leat.subscriptions().replay(Long.parseLong(taskOrId));
                tell(out, "task", task, "Put again as task " + task + ".");
                return 0;
            }
            int count = leat.subscriptions().replay(taskOrId, from, until == null ? Instant.MAX : until);
            tell(out, "replayed", count, count + " put again.");
            return count == 0 ? NOTHING_THERE : 0;
        }

        private static void tell(Output out, String field, long value, String words) {
            if (out.isJson()) {
                out.json(JsonNodeFactory.instance.objectNode().put(field, value));
            } else {
                out.line(words);
            }
        }
    }

    @Command(
            name = "ping",
            description = "Sends a test message to the URL of a subscription now, and says what it answered.",
            mixinStandardHelpOptions = true)
    static final class Ping extends StorageCommand {
        @Mixin
        private Reach reach;

        @Parameters(paramLabel = "ID", description = "The subscription.")
        private String id;

        @Override
        protected int run(Leat leat, Output out) {
            Subscription subscription =
                    leat.subscriptions().find(id).orElseThrow(() -> new SubscriptionNotFoundException(id));
            Webhook webhook = subscription.webhook().orElseThrow(() -> wrong(id + " has no URL"));
            Payload test = Payload.of("{\"type\":\"ping\"}".getBytes(StandardCharsets.UTF_8), Payload.JSON);
            try (WebhookSender sender = reach.sender()) {
                Delivery delivery = sender.send(
                        Endpoint.of(webhook),
                        new Message("ping_" + Instant.now().toEpochMilli(), test));
                if (out.isJson()) {
                    out.json(JsonNodeFactory.instance
                            .objectNode()
                            .put("status", delivery.status())
                            .put("milliseconds", delivery.took().toMillis()));
                } else {
                    out.line(webhook + " answered " + delivery.status() + " in "
                            + delivery.took().toMillis() + " ms.");
                }
                return 0;
            }
        }
    }

    public static List<Subscription> all(Leat leat, SubscriptionQuery query) {
        SubscriptionQuery next = query.limit(SubscriptionQuery.MAX_LIMIT);
        List<Subscription> all = new ArrayList<>();
        List<Subscription> page = leat.subscriptions().list(next);
        while (!page.isEmpty()) {
            all.addAll(page);
            page = leat.subscriptions()
                    .list(next.after(page.get(page.size() - 1).id()));
        }
        return all;
    }

    private static List<String> row(Task task) {
        return List.of(
                Long.toString(task.id()),
                task.publicationId().isPresent()
                        ? Long.toString(task.publicationId().getAsLong())
                        : "",
                task.state().name(),
                Integer.toString(task.attempts()),
                TaskRows.time(task.created()),
                task.message().orElse(""));
    }

    private static int show(Subscription subscription, Output out) {
        if (out.isJson()) {
            out.json(SubscriptionJson.shown(subscription));
        } else {
            out.line(subscription.id() + " gets what is published to " + subscription.topic() + " as tasks of "
                    + subscription.queue()
                    + subscription
                            .webhook()
                            .map(webhook -> ", sent by " + webhook)
                            .orElse("")
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

    private static List<String> describe(Subscription subscription) {
        return List.of(
                subscription.id(),
                subscription.topic(),
                subscription.queue(),
                subscription.tenant().orElse(""),
                subscription.businessGroup().orElse(""),
                subscription.webhook().map(Webhook::toString).orElse(""),
                subscription.isActive() ? "" : subscription.whyDisabled().orElse("yes"));
    }
}
