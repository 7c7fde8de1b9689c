package dev.leat.internal.memory;

import dev.leat.NewTask;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** All subscriptions by id. Guarded by the storage's lock. */
final class SubscriptionTable {
    private final TreeMap<String, Subscription> byId = new TreeMap<>();

    Subscription put(Subscription subscription, Instant now) {
        Subscription known = byId.get(subscription.id());
        Instant created = known == null ? now : known.created().orElse(now);
        Subscription stored = subscription.created(created);
        byId.put(stored.id(), stored);
        return stored;
    }

    Optional<Subscription> change(String id, UnaryOperator<Subscription> change) {
        return Optional.ofNullable(byId.computeIfPresent(id, (same, known) -> change.apply(known)));
    }

    boolean isSentTo(String id, String url) {
        return find(id).flatMap(Subscription::webhook)
                .filter(webhook -> webhook.url().equals(url))
                .isPresent();
    }

    Optional<Subscription> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    List<Subscription> list(SubscriptionQuery query) {
        return byId.tailMap(query.after(), false).values().stream()
                .filter(subscription ->
                        query.topic().isEmpty() || query.topic().get().equals(subscription.topic()))
                .limit(query.limit())
                .toList();
    }

    boolean drop(String id) {
        return byId.remove(id) != null;
    }

    /** The subscriptions that get a copy of the publication. */
    List<Subscription> wanting(NewTask publication) {
        return byId.values().stream()
                .filter(subscription ->
                        subscription.topic().equals(publication.queue()) && subscription.wants(publication))
                .toList();
    }
}
