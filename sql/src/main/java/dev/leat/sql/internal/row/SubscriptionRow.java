package dev.leat.sql.internal.row;

import dev.leat.NewTask;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.StorageException;
import dev.leat.sql.internal.jdbc.Times;
import dev.leat.sql.internal.jdbc.Tx;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads rows of subscriptions. Plain SQL may have written an illegal row: the row is skipped and logged once, and the other subscriptions of the
 * topic get their tasks.
 */
public final class SubscriptionRow {
    private static final Logger log = LoggerFactory.getLogger(SubscriptionRow.class);
    /** The mistakes that storages of this process have logged: each list and fan-out reads the same rows again. */
    private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

    private static final int MAX_LOGGED = 1_000;

    private SubscriptionRow() {}

    /** The subscriptions that get a copy of the publication, with their topic, id and queue only. */
    public static List<Subscription> wanting(Tx tx, NewTask publication) {
        return tx
                .list(
                        "wanting-subscriptions",
                        SubscriptionRow::readLegalPlace,
                        publication.queue(),
                        publication.tenant().orElse(null),
                        publication.businessGroup().orElse(null))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<Subscription> readLegalPlace(ResultSet row) throws SQLException {
        return legal(row, SubscriptionRow::readPlace);
    }

    public static Optional<Subscription> legal(ResultSet row, Tx.Reader<Subscription> reader) throws SQLException {
        try {
            return Optional.of(reader.read(row));
        } catch (InvalidRequestException e) {
            String mistake = "The subscription '" + row.getString(1) + "' gets nothing: " + e.getMessage();
            if (LOGGED.size() < MAX_LOGGED && LOGGED.add(mistake)) {
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

    public static Subscription read(ResultSet row) throws SQLException {
        try {
            return readAll(row);
        } catch (InvalidRequestException e) {
            throw new StorageException(
                    "The subscription '" + row.getString(1) + "' was written with an error: " + e.getMessage(), e);
        }
    }

    public static Subscription readAll(ResultSet row) throws SQLException {
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

    /** Reads the webhook unchecked. Plain SQL may have written only the URL. */
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

    /** A text that is no JSON becomes a header without a name, which {@link Webhook#check} refuses. */
    private static Map<String, String> readHeaders(@Nullable String json) {
        try {
            return FlatJson.read(json);
        } catch (StorageException | NumberFormatException e) {
            return Map.of("", String.valueOf(json));
        }
    }
}
