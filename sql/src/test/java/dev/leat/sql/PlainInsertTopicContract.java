package dev.leat.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.StorageException;
import dev.leat.Subscription;
import dev.leat.SubscriptionQuery;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.Webhook;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Subscriptions and publications by plain SQL, right or wrong. Covers N7, N11, N12. */
abstract class PlainInsertTopicContract extends PlainInsertTest {
    @AfterEach
    void leaveNoSubscriptions() throws SQLException {
        Sql.execute(connection, "DELETE FROM leat_subscription");
    }

    private void subscribe(String id, String columns, String values) throws SQLException {
        Sql.execute(
                connection,
                "INSERT INTO leat_subscription (id, topic, " + columns + ") VALUES ('" + id + "', '" + q + "', "
                        + values + ")");
    }

    private Task publish() throws SQLException {
        long id = insert("text", "order 1", "publication_id", 0);
        leat.ack(leat.take(q).orElseThrow());
        return peek(id);
    }

    @Test
    void aUrlIsAllThatAWebhookNeeds() throws SQLException { // N7, N11
        subscribe("billing", "url", "'https://shop.example.com'");

        assertThat(leat.subscriptions().find("billing").orElseThrow().webhook())
                .contains(Webhook.to("https://shop.example.com"));
    }

    @Test
    void whatASubscriptionIsStandsInItsColumns() throws SQLException { // N7
        subscribe(
                "billing",
                "tenant, business_group, url, http_method, headers",
                "'47', 'north', 'https://shop.example.com', 'PUT', '{\"X-Shop\": \"7\"}'");
        subscribe("asleep", "active", "0");

        Subscription billing = leat.subscriptions().find("billing").orElseThrow();
        assertThat(billing)
                .isEqualTo(Subscription.to(q, "billing")
                        .tenant("47")
                        .businessGroup("north")
                        .webhook(Webhook.to("https://shop.example.com")
                                .method("PUT")
                                .header("X-Shop", "7"))
                        .created(billing.created().orElseThrow()));
        assertThat(billing.isActive()).isTrue();
        assertThat(billing.created().orElseThrow())
                .isBetween(leat.storage().now().minusSeconds(60), leat.storage().now());
        assertThat(leat.subscriptions().find("asleep").orElseThrow().isActive()).isFalse();
    }

    @Test
    void whatIsWrittenWrongIsReadAsItIs() throws SQLException {
        subscribe("billing", "url, http_method, headers, secrets, timeout", "'shop', 'fetch', 'no JSON', ' a  b ', -1");

        Webhook webhook =
                leat.subscriptions().find("billing").orElseThrow().webhook().orElseThrow();

        assertThat(webhook.url()).isEqualTo("shop");
        assertThat(webhook.method()).isEqualTo("fetch");
        assertThat(webhook.headers()).isEqualTo(Map.of("", "no JSON"));
        assertThat(webhook.secrets()).containsExactly("a", "b");
        assertThat(webhook.timeout()).isEmpty();
        assertThat(leat.subscriptions().disable("billing", "repaired tomorrow").isActive())
                .isFalse();
        assertThat(leat.subscriptions().find("billing").orElseThrow().webhook()).contains(webhook);
    }

    @Test
    void aSubscriptionThatIsWrittenWrongKeepsNobodyFromWhatIsPublished() throws SQLException {
        subscribe("a-wrong-webhook", "url, headers, timeout", "'shop', '{', -1");
        subscribe("b-wrong-queue", "queue", "'no such place'");
        subscribe("c-wrong-tenant", "tenant", "' '");
        subscribe("d-right", "active", "1");

        assertThat(publish().message()).contains("put for 2 subscribers");

        assertThat(leat.list(TaskQuery.of(q).state(TaskState.READY)))
                .extracting(task -> task.subscriber().orElseThrow())
                .containsExactly("a-wrong-webhook", "d-right");
    }

    @Test
    void aNameThatIsWrittenWrongIsNamed() throws SQLException {
        subscribe("wrong", "queue", "'no such place'");

        for (Runnable look : List.<Runnable>of(() -> leat.subscriptions().find("wrong"), () -> leat.subscriptions()
                .list(SubscriptionQuery.all()))) {
            assertThatThrownBy(look::run)
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("The subscription 'wrong' was written with an error: queue name must be");
        }
        leat.subscriptions().drop("wrong");
        assertThat(leat.subscriptions().list(SubscriptionQuery.all()))
                .extracting(Subscription::id)
                .isEmpty();
    }
}
