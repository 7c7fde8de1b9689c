package dev.leat.server.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.error.SubscriptionNotFoundException;
import dev.leat.json.JsonFields;
import dev.leat.json.SubscriptionJson;
import dev.leat.server.Role;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.util.List;
import java.util.Set;

/** The calls for subscriptions. */
final class SubscriptionRoutes {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Leat leat;

    SubscriptionRoutes(Leat leat) {
        this.leat = leat;
    }

    /** Creates or replaces the subscription. */
    Reply put(RestCall call) {
        Subscription subscription = SubscriptionJson.read(call.fields("subscription"), call.path("subscription"));
        call.grant().check(Role.ADMIN, subscription.topic());
        call.grant().check(Role.ADMIN, subscription.queue());
        leat.subscriptions().find(subscription.id()).ifPresent(known -> call.grant()
                .check(Role.ADMIN, known.topic()));
        return Reply.ok(SubscriptionJson.shown(leat.subscriptions().put(subscription)));
    }

    Reply get(RestCall call) {
        return answer(find(call, Role.OPERATE));
    }

    /** One page. If there can be more, {@code next} is the value of {@code after} for the next page. */
    Reply list(RestCall call) {
        call.allowQuery(Set.of("topic", "after", "limit"));
        SubscriptionQuery query = call.query("topic").map(SubscriptionQuery::of).orElseGet(SubscriptionQuery::all);
        if (query.topic().isPresent()) {
            call.grant().check(Role.OPERATE, query.topic().get());
        } else {
            call.grant().checkAllQueues("name the topic");
        }
        query = call.query("after").map(query::after).orElse(query);
        query = call.queryInteger("limit").map(query::limit).orElse(query);
        List<Subscription> subscriptions = leat.subscriptions().list(query);
        ArrayNode page = JSON.arrayNode();
        subscriptions.forEach(subscription -> page.add(SubscriptionJson.shown(subscription)));
        ObjectNode json = JSON.objectNode().set("subscriptions", page);
        return Reply.ok(
                subscriptions.size() == query.limit()
                        ? json.put(
                                "next",
                                subscriptions.get(subscriptions.size() - 1).id())
                        : json);
    }

    Reply disable(RestCall call) {
        JsonFields fields = call.fields("disable");
        String message = fields.text("message").orElse("");
        fields.end();
        return answer(leat.subscriptions().disable(find(call, Role.ADMIN).id(), message));
    }

    Reply enable(RestCall call) {
        call.fields("enable").end();
        return answer(leat.subscriptions().enable(find(call, Role.ADMIN).id()));
    }

    Reply drop(RestCall call) {
        leat.subscriptions().drop(find(call, Role.ADMIN).id());
        return Reply.done();
    }

    private Subscription find(RestCall call, Role role) {
        String id = call.path("subscription");
        Subscription found = leat.subscriptions().find(id).orElseThrow(() -> new SubscriptionNotFoundException(id));
        call.grant().check(role, found.topic());
        return found;
    }

    private static Reply answer(Subscription subscription) {
        return Reply.ok(SubscriptionJson.shown(subscription));
    }
}
