package dev.leat.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.Leat;
import dev.leat.Task;
import dev.leat.TaskQuery;
import dev.leat.TaskState;
import dev.leat.topic.Subscription;
import dev.leat.topic.Webhook;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteWebhookHandlerTest extends WebhookHandlerContract {
    @TempDir
    private Path folder;

    @Override
    Leat openLeat() {
        return Leat.open("sqlite:" + folder.resolve("leat.db"));
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("leat.db"));
                Statement plain = connection.createStatement()) {
            plain.execute(statement);
        }
    }

    private Task awaitTask(TaskState state) {
        TaskQuery query = TaskQuery.of("orders").states(Set.of(state)).subscriber("billing");
        Awaitility.await("the copy to be " + state)
                .atMost(Duration.ofMinutes(1))
                .until(() -> !leat.list(query).isEmpty());
        return leat.list(query).get(0);
    }

    private void deliver() {
        leat.worker()
                .otherSubscribers(
                        "orders",
                        byte[].class,
                        new WebhookHandler(WebhookSender.builder()
                                .allowNetwork("127.0.0.1")
                                .build()))
                .start();
    }

    @Test
    void aUrlIsAllThatPlainSqlHasToWrite() throws IOException, SQLException {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
            sql("INSERT INTO leat_subscription (id, topic, url) VALUES ('billing', 'orders', '" + server.url() + "')");
            sql("INSERT INTO leat_task (queue, text, publication_id) VALUES ('orders', 'order 1', 0)");

            deliver();

            awaitTask(TaskState.DONE);
            assertThat(server.requests().get(0).line()).startsWith("POST /hook");
            assertThat(server.requests().get(0).body()).asString().isEqualTo("order 1");
        }
    }

    @Test
    void whatWaitsForASubscriptionThatPlainSqlDisabledIsCanceled() throws IOException, SQLException {
        try (ScriptedServer server = ScriptedServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
            leat.subscriptions().put(Subscription.to("orders", "billing").webhook(Webhook.to(server.url())));
            leat.publish("orders", "order 1");
            leat.ack(leat.take("orders").orElseThrow());
            sql("UPDATE leat_subscription SET active = 0, reason = 'it moved' WHERE id = 'billing'");

            deliver();

            assertThat(awaitTask(TaskState.CANCELED).message()).contains("it moved");
            assertThat(server.connections()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url = 'shop.example.com'",
                "http_method = 'FETCH'",
                "headers = 'Bearer s3cret'",
                "headers = '{\"X-Key\": \"\\u12'",
                "headers = '{\"X-Key\": \"s3cret\\n\"}'",
                "headers = '{\"Host\": \"s3cret\"}'",
                "secrets = 's3cret'",
                "timeout = 3600000000"
            })
    void aRowThatPlainSqlBrokeBuriesItsTasksWithoutTellingSecrets(String broken) throws SQLException {
        sql("INSERT INTO leat_subscription (id, topic, url) VALUES ('billing', 'orders', 'http://127.0.0.1:1/')");
        sql("UPDATE leat_subscription SET " + broken + " WHERE id = 'billing'");
        leat.publish("orders", "order 1");

        deliver();

        assertThat(awaitTask(TaskState.BURIED).message().orElseThrow())
                .startsWith("This cannot be sent for subscription 'billing': ")
                .doesNotContain("s3cret");
    }
}
