package dev.leat.sql.internal;

import dev.leat.sql.internal.operation.SubscriptionRows;
import dev.leat.storage.SubscriptionStorage;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.util.List;
import java.util.Optional;

/** The subscriptions of an SQL storage. */
final class SqlSubscriptions implements SubscriptionStorage {
    private final UnitRunner units;

    SqlSubscriptions(UnitRunner units) {
        this.units = units;
    }

    @Override
    public Subscription put(Subscription subscription) {
        return units.write(unit -> new SubscriptionRows(unit).put(subscription));
    }

    @Override
    public Optional<Subscription> find(String id) {
        return units.read(unit -> new SubscriptionRows(unit).find(id));
    }

    @Override
    public List<Subscription> list(SubscriptionQuery query) {
        return units.read(unit -> new SubscriptionRows(unit).list(query));
    }

    @Override
    public Optional<Subscription> enable(String id) {
        return units.writeAgain(unit -> new SubscriptionRows(unit).enable(id));
    }

    @Override
    public Optional<Subscription> disable(String id, String reason, Optional<String> sentTo) {
        return units.writeAgain(unit -> new SubscriptionRows(unit).disable(id, reason, sentTo));
    }

    @Override
    public boolean drop(String id) {
        return units.write(unit -> new SubscriptionRows(unit).drop(id));
    }
}
