package dev.leat.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.util.List;
import java.util.Optional;

/** Subscriptions as JSON. */
public final class SubscriptionJson {
    private static final String WHY = "whyDisabled";
    private static final String WEBHOOK = "webhook";
    private static final String HEADERS = "headers";
    private static final String SECRETS = "secrets";
    private static final String TIMEOUT = "timeout";
    /** The text in place of a secret. Headers, secrets and URLs refuse this text, so a client cannot send it back by mistake. */
    private static final String HIDDEN = "…";

    private SubscriptionJson() {}

    /** A subscription with its secrets, for the sender of webhooks. */
    public static ObjectNode of(Subscription subscription) {
        ObjectNode json = describe(subscription);
        subscription.webhook().ifPresent(webhook -> json.set(WEBHOOK, of(webhook)));
        return json;
    }

    /** A subscription for people: without secrets, header values and the values of the URL's query, which can be secrets. */
    public static ObjectNode shown(Subscription subscription) {
        ObjectNode json = describe(subscription);
        subscription.webhook().ifPresent(webhook -> {
            ObjectNode shown = of(webhook).put("url", webhook.shownUrl());
            webhook.headers().keySet().forEach(name -> shown.withObjectProperty(HEADERS)
                    .put(name, HIDDEN));
            ArrayNode secrets = JsonNodeFactory.instance.arrayNode();
            webhook.secrets()
                    .forEach(secret -> secrets.add((secret.startsWith("whsk_") ? "whsk_" : "whsec_") + HIDDEN));
            json.set(WEBHOOK, secrets.isEmpty() ? shown : shown.set(SECRETS, secrets));
        });
        return json;
    }

    private static ObjectNode of(Webhook webhook) {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("url", webhook.url()).put("method", webhook.method());
        if (!webhook.headers().isEmpty()) {
            ObjectNode headers = json.putObject(HEADERS);
            webhook.headers().forEach(headers::put);
        }
        if (!webhook.secrets().isEmpty()) {
            ArrayNode secrets = json.putArray(SECRETS);
            webhook.secrets().forEach(secrets::add);
        }
        webhook.timeout().ifPresent(timeout -> json.put(TIMEOUT, DurationText.seconds(timeout)));
        return json;
    }

    private static Webhook webhook(JsonFields fields) {
        Webhook webhook = Webhook.to(
                fields.text("url").orElseThrow(() -> new InvalidRequestException("url", "is missing in the webhook")));
        webhook = fields.text("method").map(webhook::method).orElse(webhook);
        webhook = fields.duration(TIMEOUT).map(webhook::timeout).orElse(webhook);
        for (String secret : fields.texts(SECRETS).orElse(List.of())) {
            webhook = webhook.secret(secret);
        }
        Optional<JsonFields> headers = fields.object(HEADERS);
        if (headers.isPresent()) {
            for (String name : headers.get().names()) {
                webhook = webhook.header(name, headers.get().text(name).orElse(""));
            }
        }
        fields.end();
        return webhook;
    }

    private static ObjectNode describe(Subscription subscription) {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("id", subscription.id())
                .put("topic", subscription.topic())
                .put("queue", subscription.queue());
        subscription.tenant().ifPresent(tenant -> json.put("tenant", tenant));
        subscription.businessGroup().ifPresent(group -> json.put("businessGroup", group));
        json.put("active", subscription.isActive());
        subscription.whyDisabled().ifPresent(why -> json.put(WHY, why));
        subscription.created().ifPresent(created -> json.put("created", created.toString()));
        return json;
    }

    public static Subscription read(JsonNode described) {
        JsonFields fields = JsonFields.of("subscription", described);
        String id = fields.text("id").orElseThrow(() -> new InvalidRequestException("id", "is missing"));
        return read(fields, id);
    }

    /** @param id the id, which is not in the JSON */
    public static Subscription read(JsonFields fields, String id) {
        Subscription subscription = Subscription.to(
                fields.text("topic").orElseThrow(() -> new InvalidRequestException("topic", "is missing")), id);
        subscription = fields.text("queue").map(subscription::queue).orElse(subscription);
        subscription = fields.text("tenant").map(subscription::tenant).orElse(subscription);
        subscription =
                fields.text("businessGroup").map(subscription::businessGroup).orElse(subscription);
        subscription = fields.secretObject(WEBHOOK)
                .map(SubscriptionJson::webhook)
                .map(subscription::webhook)
                .orElse(subscription);
        String why = fields.text(WHY).orElse("");
        subscription = fields.flag("active").orElse(true) ? subscription : subscription.disabled(why);
        subscription = fields.instant("created").map(subscription::created).orElse(subscription);
        fields.end();
        return subscription;
    }
}
