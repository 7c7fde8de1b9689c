package dev.leat.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.json.JsonFields;
import dev.leat.topic.SubscriptionQuery;

/** Queries for subscriptions; subscriptions themselves have the form of {@code SubscriptionJson}. */
public final class SubscriptionMessages {
    private SubscriptionMessages() {}

    public static void put(ObjectNode map, SubscriptionQuery query) {
        query.topic().ifPresent(topic -> map.put("topic", topic));
        map.put("after", query.after()).put("limit", query.limit());
    }

    public static SubscriptionQuery query(JsonFields fields) {
        SubscriptionQuery query =
                fields.text("topic").map(SubscriptionQuery::of).orElseGet(SubscriptionQuery::all);
        query = fields.text("after").map(query::after).orElse(query);
        return fields.integer("limit").map(query::limit).orElse(query);
    }
}
