package dev.leat.sql.internal;

import dev.leat.NewTask;
import dev.leat.Subscription;
import dev.leat.SubscriptionQuery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes subscriptions, within one turn. */
final class SubscriptionRows {
    private final Turn turn;
    private final Tx tx;

    SubscriptionRows(Turn turn) {
        this.turn = turn;
        this.tx = turn.tx;
    }

    Subscription put(Subscription subscription) {
        @Nullable
        Object[] values = {
            subscription.topic(),
            subscription.queue().equals(subscription.topic()) ? null : subscription.queue(),
            subscription.tenant().orElse(null),
            subscription.businessGroup().orElse(null),
            subscription.isActive(),
            subscription.whyDisabled().orElse(null),
            subscription.id()
        };
        if (find(subscription.id()).isPresent()) {
            tx.update("change-subscription", values);
        } else {
            @Nullable Object[] withTime = Arrays.copyOf(values, values.length + 1);
            withTime[values.length] = turn.now;
            tx.update("insert-subscription", withTime);
        }
        return find(subscription.id()).orElseThrow();
    }

    Optional<Subscription> find(String id) {
        return tx.first("subscription", SubscriptionRows::read, id);
    }

    List<Subscription> list(SubscriptionQuery query) {
        String topic = query.topic().orElse(null);
        return tx.list("subscriptions", SubscriptionRows::read, query.after(), topic, topic, query.limit());
    }

    boolean drop(String id) {
        return tx.update("drop-subscription", id) > 0;
    }

    /** Those that want a publication. */
    List<Subscription> wanting(NewTask publication) {
        return tx.list(
                "wanting-subscriptions",
                SubscriptionRows::read,
                publication.queue(),
                publication.tenant().orElse(null),
                publication.businessGroup().orElse(null));
    }

    private static Subscription read(ResultSet row) throws SQLException {
        Subscription subscription = Subscription.to(row.getString(2), row.getString(1));
        String queue = row.getString(3);
        subscription = queue == null ? subscription : subscription.queue(queue);
        String tenant = row.getString(4);
        subscription = tenant == null ? subscription : subscription.tenant(tenant);
        String businessGroup = row.getString(5);
        subscription = businessGroup == null ? subscription : subscription.businessGroup(businessGroup);
        subscription = row.getInt(6) == 1 ? subscription : subscription.disabled(row.getString(7));
        return subscription.created(Times.instant(row.getLong(8)));
    }
}
