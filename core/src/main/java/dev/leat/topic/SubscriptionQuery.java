package dev.leat.topic;

import dev.leat.internal.Checks;
import java.util.Optional;

/**
 * Selects subscriptions to list, in the order of their ids.
 *
 * @param after only ids after this one; pass the last id of a page to read the next page
 */
public record SubscriptionQuery(Optional<String> topic, String after, int limit) {
    public static final int MAX_LIMIT = 10_000;

    private static final int PAGE = 100;

    public SubscriptionQuery {
        topic.ifPresent(Checks::queueName);
        limit = Math.min(Checks.atLeast("limit", 1, limit), MAX_LIMIT);
    }

    /** Subscriptions of all topics, at most 100. */
    public static SubscriptionQuery all() {
        return new SubscriptionQuery(Optional.empty(), "", PAGE);
    }

    /** Subscriptions of one topic, at most 100. */
    public static SubscriptionQuery of(String topic) {
        return new SubscriptionQuery(Optional.of(topic), "", PAGE);
    }

    public SubscriptionQuery after(String id) {
        return new SubscriptionQuery(topic, id, limit);
    }

    public SubscriptionQuery limit(int most) {
        return new SubscriptionQuery(topic, after, most);
    }
}
