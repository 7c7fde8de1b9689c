package dev.leat.sql.internal.operation;

import dev.leat.error.InvalidRequestException;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.sql.internal.jdbc.Values;
import dev.leat.sql.internal.row.FlatJson;
import dev.leat.sql.internal.row.SubscriptionRow;
import dev.leat.sql.internal.work.UnitOfWork;
import dev.leat.storage.Finding;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads and writes subscriptions, within one unit of work. */
public final class SubscriptionRows {
    private static final int MAX_EXAMINED = 10_000;
    private static final int MAX_FINDINGS = 10;

    private final UnitOfWork unit;
    private final Tx tx;

    public SubscriptionRows(UnitOfWork unit) {
        this.unit = unit;
        this.tx = unit.tx;
    }

    public Subscription put(Subscription subscription) {
        // Reads the id only, so that a put can correct an illegal row.
        if (tx.first("subscription", row -> row.getString(1), subscription.id()).isPresent()) {
            tx.update(set(tx.values("change-subscription"), subscription));
        } else {
            tx.update(set(tx.values("insert-subscription"), subscription).set("created", unit.now));
        }
        return find(subscription.id()).orElseThrow();
    }

    private static Values set(Values values, Subscription subscription) {
        Optional<Webhook> webhook = subscription.webhook();
        return values.set("id", subscription.id())
                .set("topic", subscription.topic())
                .set("queue", subscription.queue().equals(subscription.topic()) ? null : subscription.queue())
                .set("tenant", subscription.tenant().orElse(null))
                .set("business_group", subscription.businessGroup().orElse(null))
                .set("url", webhook.map(Webhook::url).orElse(null))
                .set("http_method", webhook.map(Webhook::method).orElse(null))
                .set(
                        "headers",
                        webhook.map(given -> FlatJson.write(given.headers())).orElse(null))
                .set(
                        "secrets",
                        webhook.map(given -> String.join(" ", given.secrets()))
                                .filter(secrets -> !secrets.isEmpty())
                                .orElse(null))
                .set(
                        "timeout",
                        webhook.flatMap(Webhook::timeout).map(Times::micros).orElse(null))
                .set("active", subscription.isActive())
                .set("reason", subscription.whyDisabled().orElse(null));
    }

    public Optional<Subscription> find(String id) {
        return tx.first("subscription", SubscriptionRow::read, id);
    }

    /** Returns a full page if enough legal rows are left, by reading on past illegal rows. */
    public List<Subscription> list(SubscriptionQuery query) {
        String topic = query.topic().orElse(null);
        List<Subscription> page = new ArrayList<>();
        String after = query.after();
        boolean isMore = true;
        while (isMore) {
            int wanted = query.limit() - page.size();
            List<Written> rows = tx.list("subscriptions", SubscriptionRows::written, after, topic, topic, wanted);
            rows.forEach(row -> row.subscription().ifPresent(page::add));
            after = rows.isEmpty() ? after : rows.get(rows.size() - 1).id();
            isMore = rows.size() == wanted && page.size() < query.limit();
        }
        return page;
    }

    /** One statement, so that the other columns, which another process may change at the same time, stay as they are. */
    public Optional<Subscription> enable(String id) {
        return tx.update("enable-subscription", id) > 0 ? find(id) : Optional.empty();
    }

    public Optional<Subscription> disable(String id, String reason, Optional<String> sentTo) {
        String url = sentTo.orElse(null);
        return tx.update("disable-subscription", reason.isBlank() ? null : reason, id, url, url) > 0
                ? find(id)
                : Optional.empty();
    }

    public boolean drop(String id) {
        return tx.update("drop-subscription", id) > 0;
    }

    /** The mistakes in the first 10,000 subscriptions. */
    public static List<Finding> examine(Tx tx) {
        return tx.list("some-subscriptions", SubscriptionRows::mistake, MAX_EXAMINED).stream()
                .flatMap(Optional::stream)
                .limit(MAX_FINDINGS)
                .toList();
    }

    private static Optional<Finding> mistake(ResultSet row) throws SQLException {
        try {
            SubscriptionRow.readAll(row).webhook().ifPresent(Webhook::check);
            return Optional.empty();
        } catch (InvalidRequestException e) {
            return Optional.of(new Finding(
                    Finding.Level.TROUBLE,
                    "The subscription '" + row.getString(1) + "' was written with an error: " + e.getMessage() + ".",
                    "Put it right where it was written, or by 'leat subscription put', or drop it."));
        }
    }

    /** The id of a row, and the subscription if the row is legal. */
    private record Written(String id, Optional<Subscription> subscription) {}

    private static Written written(ResultSet row) throws SQLException {
        return new Written(row.getString(1), SubscriptionRow.legal(row, SubscriptionRow::readAll));
    }
}
