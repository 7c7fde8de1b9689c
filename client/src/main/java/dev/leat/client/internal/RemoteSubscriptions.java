package dev.leat.client.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.json.SubscriptionJson;
import dev.leat.storage.SubscriptionStorage;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.wire.Cbor;
import dev.leat.wire.Op;
import dev.leat.wire.SubscriptionMessages;
import dev.leat.wire.WireValues;
import java.util.List;
import java.util.Optional;

/** The subscriptions of a storage behind a server. */
final class RemoteSubscriptions implements SubscriptionStorage {
    private final Link link;

    RemoteSubscriptions(Link link) {
        this.link = link;
    }

    @Override
    public Subscription put(Subscription subscription) {
        return SubscriptionJson.read(
                link.call(Op.PUT_SUBSCRIPTION, Cbor.map().set("subscription", SubscriptionJson.of(subscription))));
    }

    @Override
    public Optional<Subscription> find(String id) {
        return Messages.optional(link.call(Op.SUBSCRIPTION, Messages.subscription(id)), SubscriptionJson::read);
    }

    @Override
    public List<Subscription> list(SubscriptionQuery query) {
        ObjectNode map = Cbor.map();
        SubscriptionMessages.put(map, query);
        return WireValues.list("subscriptions", link.call(Op.SUBSCRIPTIONS, map), SubscriptionJson::read);
    }

    @Override
    public Optional<Subscription> enable(String id) {
        return Messages.optional(link.call(Op.ENABLE_SUBSCRIPTION, Messages.subscription(id)), SubscriptionJson::read);
    }

    @Override
    public Optional<Subscription> disable(String id, String reason, Optional<String> sentTo) {
        ObjectNode map = Messages.subscription(id).put("message", reason);
        sentTo.ifPresent(url -> map.put("sentTo", url));
        return Messages.optional(link.call(Op.DISABLE_SUBSCRIPTION, map), SubscriptionJson::read);
    }

    @Override
    public boolean drop(String id) {
        return link.call(Op.DROP_SUBSCRIPTION, Messages.subscription(id)).booleanValue();
    }
}
