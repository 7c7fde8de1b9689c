package dev.leat.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.InvalidRequestException;
import dev.leat.Subscription;

/** Subscriptions as JSON. */
public final class SubscriptionJson {
    private static final String WHY = "whyDisabled";

    private SubscriptionJson() {}

    public static ObjectNode of(Subscription subscription) {
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

    /** @param id said elsewhere */
    public static Subscription read(JsonFields fields, String id) {
        Subscription subscription = Subscription.to(
                fields.text("topic").orElseThrow(() -> new InvalidRequestException("topic", "is missing")), id);
        subscription = fields.text("queue").map(subscription::queue).orElse(subscription);
        subscription = fields.text("tenant").map(subscription::tenant).orElse(subscription);
        subscription =
                fields.text("businessGroup").map(subscription::businessGroup).orElse(subscription);
        String why = fields.text(WHY).orElse("");
        subscription = fields.flag("active").orElse(true) ? subscription : subscription.disabled(why);
        subscription = fields.instant("created").map(subscription::created).orElse(subscription);
        fields.end();
        return subscription;
    }
}
