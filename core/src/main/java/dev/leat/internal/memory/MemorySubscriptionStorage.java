package dev.leat.internal.memory;

import dev.leat.storage.SubscriptionStorage;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.util.List;
import java.util.Optional;

/** The subscriptions of the memory storage. */
final class MemorySubscriptionStorage implements SubscriptionStorage {
    private final UnderLock lock;
    private final SubscriptionTable subscriptions;

    MemorySubscriptionStorage(UnderLock lock, SubscriptionTable subscriptions) {
        this.lock = lock;
        this.subscriptions = subscriptions;
    }

    @Override
    public Subscription put(Subscription subscription) {
        return lock.call(now -> subscriptions.put(subscription, now));
    }

    @Override
    public Optional<Subscription> find(String id) {
        return lock.call(now -> subscriptions.find(id));
    }

    @Override
    public List<Subscription> list(SubscriptionQuery query) {
        return lock.call(now -> subscriptions.list(query));
    }

    @Override
    public Optional<Subscription> enable(String id) {
        return lock.call(now -> subscriptions.change(id, Subscription::enabled));
    }

    @Override
    public Optional<Subscription> disable(String id, String reason, Optional<String> sentTo) {
        return lock.call(now -> sentTo.isEmpty() || subscriptions.isSentTo(id, sentTo.get())
                ? subscriptions.change(id, known -> known.disabled(reason))
                : Optional.empty());
    }

    @Override
    public boolean drop(String id) {
        return lock.call(now -> subscriptions.drop(id));
    }
}
