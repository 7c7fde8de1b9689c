package dev.leat.sql.view;

import static dev.leat.sql.view.SeenDatabase.BEHIND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.leat.GroupSpec;
import dev.leat.Payload;
import dev.leat.SessionSpec;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TaskState;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.QueueStats;
import dev.leat.queue.Retention;
import dev.leat.storage.Sweep;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the views show of tasks and queues. Covers N58. */
abstract class TaskViewContract extends ViewTest {
    // Tasks

    @Test
    void aTaskShowsAllThatItWasPutWith() throws SQLException { // N58
        create(QueueOptions.builder());
        long group = storage.groups().create(GroupSpec.named("night")).id();
        Instant put = clock.instant();
        long id = put(task().payload("{\"to\":\"Ada\"}")
                .priority(-7)
                .delay(MINUTE)
                .ttl(Duration.ofHours(3))
                .ttr(Duration.ofMillis(1_500))
                .key("k")
                .address("a")
                .group(group)
                .type("email")
                .tenant("47")
                .businessGroup("north")
                .origin("shop")
                .destination("mail")
                .externalKey("order 9")
                .tag("size", 3)
                .trace("traceparent", "00-1"));

        assertThat(task(id))
                .contains(
                        entry("queue", queue),
                        entry("state", "WAITING"),
                        entry("waits_for", "GROUP"),
                        entry("priority", "-7"),
                        entry("put_at", put),
                        entry("due_at", put.plus(MINUTE)),
                        entry("previous_due_at", null),
                        entry("expires_at", put.plus(MINUTE).plus(Duration.ofHours(3))),
                        entry("attempts", "0"),
                        entry("task_key", "k"),
                        entry("address", "a"),
                        entry("group_id", Long.toString(group)),
                        entry("group_name", "night"),
                        entry("type", "email"),
                        entry("tenant", "47"),
                        entry("business_group", "north"),
                        entry("origin", "shop"),
                        entry("destination", "mail"),
                        entry("external_key", "order 9"),
                        entry("tags", "{\"size\":3}"),
                        entry("trace", "{\"traceparent\":\"00-1\"}"),
                        entry("dead_of", null),
                        entry("payload", "{\"to\":\"Ada\"}"),
                        entry("payload_text", "{\"to\":\"Ada\"}"))
                .hasEntrySatisfying("ttr_seconds", ttr -> assertThat(Double.parseDouble((String) ttr))
                        .isEqualTo(1.5))
                .hasEntrySatisfying(
                        "payload_hash", hash -> assertThat((String) hash).hasSize(64));
    }

    @Test
    void aTakenTaskShowsWhoHasItAndForHowLong() throws SQLException {
        create(QueueOptions.builder());
        long id = put(task());
        String session = storage.sessions().open(SessionSpec.named("worker"));
        storage.take(TakeRequest.from(queue).session(session).ttr(MINUTE));

        assertThat(task(id))
                .contains(
                        entry("state", "TAKEN"),
                        entry("attempts", "1"),
                        entry("session", session),
                        entry("taken_at", clock.instant()),
                        entry("lease_until", clock.instant().plus(MINUTE)),
                        entry("cancel_requested", false));

        storage.cancel(id, "not needed");

        assertThat(task(id)).contains(entry("cancel_requested", true));
        storage.sessions().close(session);
    }

    @Test
    void aFinishedTaskShowsHowItEndedForAsLongAsItIsKept() throws SQLException {
        Duration kept = BEHIND.plusHours(1);
        create(QueueOptions.builder().retention(Retention.all(kept)));
        long id = put(task().payload("a"));
        Payload result = Payload.of("{}".getBytes(StandardCharsets.UTF_8), Payload.JSON);
        settle(new Settle.Ack(take().lease(), "sent", Optional.of(result)));

        assertThat(task(id))
                .contains(
                        entry("state", "DONE"),
                        entry("message", "sent"),
                        entry("finished_at", clock.instant()),
                        entry("kept_until", clock.instant().plus(kept)),
                        entry("payload_text", null),
                        entry("result_type", Payload.JSON),
                        entry("result", "{}"),
                        entry("result_text", "{}"));
    }

    @Test
    void aFinishedTaskThatIsNoLongerKeptIsNotShown() throws SQLException {
        create(retrying(10).retention(Retention.all(BEHIND.minusHours(1))));
        long id = put(task());
        fail("boom");
        clock.advance(MINUTE);
        ack();

        assertThat(rows("SELECT * FROM leat_tasks WHERE id = " + id)).isEmpty();
        assertThat(attempts(id)).isEmpty();
        assertThat(summary()).contains(entry("done", "0"));
        assertThat(rows("SELECT * FROM leat_failures WHERE queue = '" + queue + "'"))
                .isEmpty();
    }

    /** Leat never looks inside a payload, so nobody has promised that text is text. */
    @Test
    void onlyTextIsShownAsText() throws SQLException {
        create(QueueOptions.builder());
        byte[] notUtf8 = {(byte) 0xc3, 0, 'a'};
        long html = put(task().payload(Payload.of("<p>ä</p>".getBytes(StandardCharsets.UTF_8), "text/html")));
        long json = put(task().payload(Payload.of("1".getBytes(StandardCharsets.UTF_8), "application/x+json")));
        long text = put(task().payload("ä"));
        long binary = put(task().payload(notUtf8));
        long broken = put(task().payload(Payload.of(notUtf8, Payload.TEXT)));

        assertThat(task(html)).contains(entry("payload_text", "<p>ä</p>"));
        assertThat(task(json)).contains(entry("payload_text", "1"));
        assertThat(task(text)).contains(entry("content_type", Payload.TEXT), entry("payload_text", "ä"));
        assertThat(task(binary)).contains(entry("payload_text", null));
        assertThat(task(broken)).contains(entry("state", "READY"));
    }

    // Queues

    @Test
    void aQueueCountsItsTasksAsLeatDoes() throws SQLException { // N58
        create(retrying(1).exhaustion(Exhaustion.FAIL));
        putOneInEachState();
        storage.queues().pause(queue);

        Map<String, Object> summary = summary();

        QueueStats stats = storage.queues().stats(queue);
        for (TaskState state : TaskState.values()) {
            String column = state.name().toLowerCase(Locale.ROOT);
            long expected = state == TaskState.WAITING ? 2 : 1;
            assertThat(stats.count(state)).as(column).isEqualTo(expected);
            assertThat(summary).contains(entry(column, Long.toString(expected)));
            assertThat(rows("SELECT id FROM leat_tasks WHERE queue = '" + queue + "' AND state = '" + state + "'"))
                    .hasSize((int) expected);
        }
        assertThat(summary).contains(entry("paused", true));
    }

    private void putOneInEachState() {
        put(task().group(storage.groups().create(GroupSpec.named(queue)).id()));
        put(task().delay(MINUTE));
        put(task());
        ack();
        put(task());
        fail("failed");
        storage.cancel(put(task()), "canceled");
        storage.bury(put(task()), "buried");
        put(task().ttl(Duration.ofMillis(1)));
        clock.advance(Duration.ofMillis(2));
        storage.sweep(Sweep.everything());
        put(task().key("k"));
        take();
        put(task().key("k"));
        assertThat(storage.take(TakeRequest.from(queue))).isEmpty();
        put(task());
    }

    @Test
    void theOldestWaitingTaskIsTheOneThatWasDueFirst() throws SQLException {
        create(QueueOptions.builder());
        Instant put = clock.instant();
        long delayed = put(task().delay(Duration.ofSeconds(2)));
        clock.advance(Duration.ofSeconds(1));
        long oldest = put(task().priority(5).type("email").key("k"));
        clock.advance(Duration.ofSeconds(1));
        put(task());
        storage.sweep(Sweep.everything());

        Map<String, Object> waiting = row("SELECT * FROM leat_oldest_waiting WHERE queue = '" + queue + "'");

        assertThat(waiting)
                .contains(
                        entry("task_id", Long.toString(oldest)),
                        entry("priority", "5"),
                        entry("type", "email"),
                        entry("task_key", "k"),
                        entry("due_at", put.plusSeconds(1)),
                        entry("put_at", put.plusSeconds(1)))
                .hasEntrySatisfying("age_seconds", TaskViewContract::isAboutTwoHours);
        assertThat(summary())
                .contains(entry("oldest_task_id", Long.toString(oldest)), entry("oldest_due_at", put.plusSeconds(1)))
                .hasEntrySatisfying("oldest_age_seconds", TaskViewContract::isAboutTwoHours);
        assertThat(task(delayed)).contains(entry("state", "READY"), entry("due_at", put.plusSeconds(2)));
    }

    private static void isAboutTwoHours(Object seconds) {
        assertThat(Double.parseDouble((String) seconds)).isBetween(0.5 * BEHIND.toSeconds(), 1.5 * BEHIND.toSeconds());
    }

    @Test
    void aQueueWithoutWorkIsShownToo() throws SQLException {
        create(QueueOptions.builder());
        String session = storage.sessions().open(SessionSpec.named("idle"));
        storage.sessions().heartbeat(session, Map.of(queue, 3));

        assertThat(summary())
                .contains(
                        entry("paused", false),
                        entry("ready", "0"),
                        entry("consumers", "3"),
                        entry("oldest_task_id", null),
                        entry("oldest_age_seconds", null));
        storage.sessions().close(session);
    }

    @Test
    void aDroppedQueueIsNotShownButItsFinishedTasksAre() throws SQLException {
        create(QueueOptions.builder());
        long id = put(task());

        storage.queues().drop(queue);

        assertThat(rows("SELECT * FROM leat_queues WHERE queue = '" + queue + "'"))
                .isEmpty();
        assertThat(task(id)).contains(entry("queue", queue), entry("state", "CANCELED"));
    }
}
