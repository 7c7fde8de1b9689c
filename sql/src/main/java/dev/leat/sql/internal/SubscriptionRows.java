package dev.leat.sql.internal;

import dev.leat.InvalidRequestException;
import dev.leat.NewTask;
import dev.leat.StorageException;
import dev.leat.Subscription;
import dev.leat.SubscriptionQuery;
import dev.leat.Webhook;
import dev.leat.storage.Finding;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes subscriptions, within one turn. Anybody may have written one with plain SQL that is none: it is left out, told once, and
 * keeps nobody else from what is published.
 */
final class SubscriptionRows {
    private static final Logger log = LoggerFactory.getLogger(SubscriptionRows.class);
    /** What was told, by all storages of this process: lists and fan-outs meet the same row again and again. */
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private static final int MOST_TOLD = 1_000;
    private static final int MOST_EXAMINED = 10_000;
    private static final int MOST_FINDINGS = 10;

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
        // Without reading it, so that one that was written wrong can be put right.
        if (tx.first("subscription", row -> row.getString(1), subscription.id()).isPresent()) {
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

    /** A full page unless there are no more, however many are left out. */
    List<Subscription> list(SubscriptionQuery query) {
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

    /** What is wrong with the subscriptions, by a look at the first ten thousand. */
    static List<Finding> examine(Tx tx) {
        return tx.list("some-subscriptions", SubscriptionRows::mistake, MOST_EXAMINED).stream()
                .flatMap(Optional::stream)
                .limit(MOST_FINDINGS)
                .toList();
    }

    private static Optional<Finding> mistake(ResultSet row) throws SQLException {
        try {
            readAll(row).webhook().ifPresent(Webhook::check);
            return Optional.empty();
        } catch (InvalidRequestException e) {
            return Optional.of(new Finding(
                    Finding.Level.TROUBLE,
                    "The subscription '" + row.getString(1) + "' was written with an error: " + e.getMessage() + ".",
                    "Put it right where it was written, or by 'leat subscription put', or drop it."));
        }
    }

    /** A row, and the subscription unless it is none. */
    private record Written(String id, Optional<Subscription> subscription) {}

    private static Written written(ResultSet row) throws SQLException {
        return new Written(row.getString(1), legal(row, SubscriptionRows::readAll));
    }

    private static Optional<Subscription> readLegalPlace(ResultSet row) throws SQLException {
        return legal(row, SubscriptionRows::readPlace);
    }

    private static Optional<Subscription> legal(ResultSet row, Tx.Reader<Subscription> reader) throws SQLException {
        try {
            return Optional.of(reader.read(row));
        } catch (InvalidRequestException e) {
            String mistake = "The subscription '" + row.getString(1) + "' gets nothing: " + e.getMessage();
            if (TOLD.size() < MOST_TOLD && TOLD.add(mistake)) {
                log.warn("{}; put it right, or drop it", mistake);
            }
            return Optional.empty();
        }
    }

    private static Subscription readPlace(ResultSet row) throws SQLException {
        String id = row.getString(1);
        if (id == null) {
            throw new InvalidRequestException("subscription", "must have an id"); // SQLite keeps a NULL there
        }
        Subscription subscription = Subscription.to(row.getString(2), id);
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
