package dev.leat.sql.internal;

import dev.leat.InvalidRequestException;
import dev.leat.NewTask;
import dev.leat.StorageException;
import dev.leat.Subscription;
import dev.leat.SubscriptionQuery;
import dev.leat.Webhook;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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
        Optional<Webhook> webhook = subscription.webhook();
        @Nullable
        Object[] values = {
            subscription.topic(),
            subscription.queue().equals(subscription.topic()) ? null : subscription.queue(),
            subscription.tenant().orElse(null),
            subscription.businessGroup().orElse(null),
            webhook.map(Webhook::url).orElse(null),
            webhook.map(Webhook::method).orElse(null),
            webhook.map(given -> FlatJson.write(given.headers())).orElse(null),
            webhook.map(given -> String.join(" ", given.secrets()))
                    .filter(secrets -> !secrets.isEmpty())
                    .orElse(null),
            webhook.flatMap(Webhook::timeout).map(Times::micros).orElse(null),
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

    /** Those that want a publication, without what else is known of them. */
    List<Subscription> wanting(NewTask publication) {
        return tx.list(
                "wanting-subscriptions",
                SubscriptionRows::readPlace,
                publication.queue(),
                publication.tenant().orElse(null),
                publication.businessGroup().orElse(null));
    }

    private static Subscription readPlace(ResultSet row) throws SQLException {
        Subscription subscription = Subscription.to(row.getString(2), row.getString(1));
        String queue = row.getString(3);
        return queue == null ? subscription : subscription.queue(queue);
    }

    private static Subscription read(ResultSet row) throws SQLException {
        Subscription subscription = readPlace(row);
        String tenant = row.getString(4);
        subscription = tenant == null ? subscription : subscription.tenant(tenant);
        String businessGroup = row.getString(5);
        subscription = businessGroup == null ? subscription : subscription.businessGroup(businessGroup);
        if (row.getInt(6) != 1) {
            String why = row.getString(7);
            subscription = subscription.disabled(why == null ? "" : why);
        }
        String url = row.getString(9);
        if (url != null) {
            try {
                subscription = subscription.webhook(readWebhook(row, url));
            } catch (InvalidRequestException e) {
                throw new StorageException(
                        "The subscription '" + subscription.id() + "' was written with an error: " + e.getMessage(), e);
            }
        }
        return subscription.created(Times.instant(row.getLong(8)));
    }

    /** Whoever wrote it with plain SQL may have left all out but the URL. */
    private static Webhook readWebhook(ResultSet row, String url) throws SQLException {
        Webhook webhook = Webhook.to(url);
        String method = row.getString(10);
        webhook = method == null ? webhook : webhook.method(method);
        String headers = row.getString(11);
        for (Map.Entry<String, String> header : FlatJson.read(headers).entrySet()) {
            webhook = webhook.header(header.getKey(), header.getValue());
        }
        String secrets = row.getString(12);
        if (secrets != null && !secrets.isBlank()) {
            for (String secret : secrets.strip().split("\\s+")) {
                webhook = webhook.secret(secret);
            }
        }
        long timeout = row.getLong(13);
        return timeout == 0 ? webhook : webhook.timeout(Times.duration(timeout));
    }
}
