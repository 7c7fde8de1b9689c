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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and writes subscriptions, within one turn. */
final class SubscriptionRows {
    private static final Logger log = LoggerFactory.getLogger(SubscriptionRows.class);

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

    /** One statement, as the next: whoever changes the rest at the same time must not find it changed back. */
    Optional<Subscription> enable(String id) {
        return tx.update("enable-subscription", id) > 0 ? find(id) : Optional.empty();
    }

    Optional<Subscription> disable(String id, String reason, Optional<String> sentTo) {
        String url = sentTo.orElse(null);
        return tx.update("disable-subscription", reason.isBlank() ? null : reason, id, url, url) > 0
                ? find(id)
                : Optional.empty();
    }

    boolean drop(String id) {
        return tx.update("drop-subscription", id) > 0;
    }

    /** Those that want a publication, without what else is known of them. */
    List<Subscription> wanting(NewTask publication) {
        return tx
                .list(
                        "wanting-subscriptions",
                        SubscriptionRows::readLegalPlace,
                        publication.queue(),
                        publication.tenant().orElse(null),
                        publication.businessGroup().orElse(null))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** One that plain SQL gave an illegal queue must not keep the others from what is published. */
    private static Optional<Subscription> readLegalPlace(ResultSet row) throws SQLException {
        try {
            return Optional.of(readPlace(row));
        } catch (InvalidRequestException e) {
            log.warn("The subscription '{}' gets nothing: {}", row.getString(1), e.getMessage());
            return Optional.empty();
        }
    }

    private static Subscription readPlace(ResultSet row) throws SQLException {
        Subscription subscription = Subscription.to(row.getString(2), row.getString(1));
        String queue = row.getString(3);
        return queue == null ? subscription : subscription.queue(queue);
    }

    private static Subscription read(ResultSet row) throws SQLException {
        try {
            return readAll(row);
        } catch (InvalidRequestException e) {
            throw new StorageException(
                    "The subscription '" + row.getString(1) + "' was written with an error: " + e.getMessage(), e);
        }
    }

    private static Subscription readAll(ResultSet row) throws SQLException {
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
        subscription = url == null ? subscription : subscription.webhook(readWebhook(row, url));
        return subscription.created(Times.instant(row.getLong(8)));
    }

    /** As it was written, right or wrong: whoever wrote it with plain SQL may have left all out but the URL. */
    private static Webhook readWebhook(ResultSet row, String url) throws SQLException {
        String method = row.getString(10);
        String secrets = row.getString(12);
        long timeout = row.getLong(13);
        return new Webhook(
                url,
                method == null ? "POST" : method,
                readHeaders(row.getString(11)),
                secrets == null || secrets.isBlank()
                        ? List.of()
                        : List.of(secrets.strip().split("\\s+")),
                timeout <= 0 ? Optional.empty() : Optional.of(Times.duration(timeout)));
    }

    /** What is no JSON comes as a header without a name, which nobody sends. */
    private static Map<String, String> readHeaders(@Nullable String json) {
        try {
            return FlatJson.read(json);
        } catch (StorageException | NumberFormatException e) {
            return Map.of("", String.valueOf(json));
        }
    }
}
