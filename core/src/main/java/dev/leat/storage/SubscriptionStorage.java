package dev.leat.storage;

import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import java.util.List;
import java.util.Optional;

/**
 * The subscriptions of a {@link Storage}. The ack of a publication puts a copy for each subscription that wants the publication, in one
 * transaction.
 */
public interface SubscriptionStorage {
    /** Makes the subscription, or changes everything but its creation time. */
    Subscription put(Subscription subscription);

    Optional<Subscription> find(String id);

    /** Subscriptions by id, after the id that the query names. */
    List<Subscription> list(SubscriptionQuery query);

    /** Lets the subscription get publications, and changes nothing else; empty if the subscription is unknown. */
    Optional<Subscription> enable(String id);

    /**
     * Lets the subscription get no publications, and changes nothing else; empty if the subscription is unknown.
     *
     * @param sentTo if present, disables the subscription only if its webhook has this URL
     */
    Optional<Subscription> disable(String id, String reason, Optional<String> sentTo);

    /** Removes the subscription and keeps its copies; answers whether the subscription was there. */
    boolean drop(String id);
}
