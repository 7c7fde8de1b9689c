package dev.leat.sql.insert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.error.StorageException;
import dev.leat.sql.Sql;
import dev.leat.storage.Finding;
import dev.leat.topic.Subscription;
import dev.leat.topic.SubscriptionQuery;
import dev.leat.topic.Webhook;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
    void aSubscriptionThatIsWrittenWrongIsLeftOutOfLists() throws SQLException {
        subscribe("  ", "active", "1");
        subscribe("a-wrong-queue", "queue", "'no such place'");
        subscribe("b-right", "active", "1");
        subscribe("c-wrong-tenant", "tenant", "' '");
        subscribe("d-wrong-group", "business_group", "' '");
        subscribe("e-right", "active", "1");
        SubscriptionQuery all = SubscriptionQuery.all();

        assertThat(listed(all)).containsExactly("b-right", "e-right");
        assertThat(listed(all.limit(1))).containsExactly("b-right");
        assertThat(listed(all.limit(1).after("b-right"))).containsExactly("e-right");
        assertThat(listed(all.limit(1).after("e-right"))).isEmpty();
    }

    private List<String> listed(SubscriptionQuery query) {
        return leat.subscriptions().list(query).stream().map(Subscription::id).toList();
    }

    @Test
    void whatHasNoIdIsRefusedOrGetsNothing() throws SQLException {
        subscribe("right", "active", "1");
        try {
            Sql.execute(connection, "INSERT INTO leat_subscription (id, topic) VALUES (NULL, '" + q + "')");
        } catch (SQLException e) {
            assertThat(e.getMessage()).contains("id");
        }

        assertThat(publish().message()).contains("put for 1 subscriber");
        assertThat(listed(SubscriptionQuery.all())).containsExactly("right");
    }

    @Test
    void whatIsWrittenWrongIsToldOnce() throws SQLException {
        String id = "wrong-" + UUID.randomUUID(); // told once per process, which runs this test for several databases
        subscribe(id, "queue", "'no such place'");
        PrintStream err = System.err;
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        System.setErr(new PrintStream(heard, true, UTF_8));
        try {
            listed(SubscriptionQuery.all());
            publish();
            listed(SubscriptionQuery.all());
        } finally {
            System.setErr(err);
        }

        assertThat(heard.toString(UTF_8))
                .containsOnlyOnce("The subscription '" + id + "' gets nothing: queue name must be");
    }

    @Test
    void whatIsWrittenWrongIsFoundByADoctor() throws SQLException {
        subscribe("  ", "active", "1");
        subscribe("a-wrong-queue", "queue", "'no such place'");
        subscribe("b-right", "url", "'https://shop.example.com'");
        subscribe("c-wrong-url", "url", "'s3cret'");

        assertThat(leat.storage().examine())
                .extracting(Finding::what)
                .filteredOn(what -> what.contains("subscription"))
                .satisfiesExactly(
                        what -> assertThat(what)
                                .isEqualTo(
                                        "The subscription '  ' was written with an error: subscription must not be blank."),
                        what -> assertThat(what)
                                .startsWith("The subscription 'a-wrong-queue' was written with an error: queue"),
                        what -> assertThat(what)
                                .startsWith("The subscription 'c-wrong-url' was written with an error: url must begin")
                                .doesNotContain("s3cret"));
    }

    @Test
    void aNameThatIsWrittenWrongIsNamed() throws SQLException {
        subscribe("wrong", "queue", "'no such place'");

        assertThatThrownBy(() -> leat.subscriptions().find("wrong"))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("The subscription 'wrong' was written with an error: queue name must be");
    }

    @Test
    void whatIsWrittenWrongIsPutRightOrDropped() throws SQLException {
        subscribe("a", "queue", "'no such place'");
        subscribe("b", "queue", "'no such place'");

        leat.subscriptions().put(Subscription.to(q, "a"));
        leat.subscriptions().drop("b");

        assertThat(listed(SubscriptionQuery.all())).containsExactly("a");
        assertThat(leat.storage().examine()).extracting(Finding::what).noneMatch(what -> what.contains("subscription"));
    }
}
