package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Group;
import dev.leat.GroupInfo;
import dev.leat.GroupSpec;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.TakeOrder;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The task of a plain INSERT passes the gates of every task, and is taken in its order. Covers rule 2, 23. */
abstract class PlainInsertGateContract extends PlainInsertTest {
    /** An insert of the queue and the address that does nothing when the address is taken. */
    abstract String insertUnlessTaken();

    @Test
    void theAddressIsUnique() throws SQLException {
        insert("address", "doc");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> insert("address", "doc"))
                .withMessageMatching("(?is).*(unique|duplicate).*");

        assertThat(live()).isEqualTo(1);
        leat.ack(leat.take(q).orElseThrow());
        insert("address", "doc");
    }

    @Test
    void anInsertMayGiveWayToATakenAddress() throws SQLException {
        for (int i = 0; i < 2; i++) {
            try (PreparedStatement insert = connection.prepareStatement(insertUnlessTaken())) {
                insert.setString(1, q);
                insert.setString(2, "doc");
                insert.executeUpdate();
            }
        }

        assertThat(live()).isEqualTo(1);
        assertThat(takeIds(9)).hasSize(1);
    }

    @Test
    void tasksOfOneKeyRunOneAfterTheOther() throws SQLException {
        long first = insert("task_key", "ada");
        long second = insert("task_key", "ada");
        TakenTask taken = leat.take(q).orElseThrow();
        assertThat(taken.id()).isEqualTo(first);
        assertThat(takeIds(9)).isEmpty();

        leat.ack(taken);

        assertThat(takeIds(9)).containsExactly(second);
    }

    @Test
    void aTaskWaitsForItsGroup() throws SQLException {
        Group group = leat.createGroup(GroupSpec.named(q));
        long before = insert("group_id", group.id());
        assertThat(peek(before).state()).isEqualTo(TaskState.WAITING);
        assertThat(takeIds(9)).isEmpty();

        group.start();
        long after = insert("group_id", group.id());

        assertThat(peek(after).state()).isEqualTo(TaskState.READY);
        List<TakenTask> taken = leat.take(TakeRequest.from(q).count(9));
        assertThat(taken).extracting(TakenTask::id).containsExactly(before, after);
        leat.ack(taken.get(0));
        assertThat(group.info().state()).isEqualTo(GroupInfo.State.STARTED);
        leat.ack(taken.get(1));
        assertThat(group.info().state()).isEqualTo(GroupInfo.State.COMPLETED);
    }

    @Test
    void aGroupThatEndedOrNeverWasIsRefused() {
        Group group = leat.createGroup(GroupSpec.named(q));
        group.start();

        assertRefused("group", () -> insert("group_id", group.id()));
        assertRefused("group", () -> insert("group_id", 9_999_999L));
    }

    @Test
    void aTaskOfTheFutureIsScheduled() throws SQLException {
        Instant tomorrow = leat.storage().now().plus(Duration.ofDays(1));

        long id = insert("due", micros(tomorrow));

        assertThat(peek(id).state()).isEqualTo(TaskState.SCHEDULED);
        assertThat(micros(peek(id).due())).isEqualTo(micros(tomorrow));
        assertThat(takeIds(9)).isEmpty();
    }

    @Test
    void aScheduledTaskIsTakenWhenItIsDue() throws Exception {
        Instant due = leat.storage().now().plusMillis(300);
        long id = insert("due", micros(due));

        assertThat(leat.take(TakeRequest.from(q), Duration.ofSeconds(20)))
                .extracting(TakenTask::id)
                .containsExactly(id);

        assertThat(leat.storage().now()).isAfterOrEqualTo(due);
    }

    @Test
    void aTaskOfThePastIsDueNow() throws SQLException {
        Instant before = leat.storage().now().minusMillis(2);

        Task task = peek(insert("due", micros(before.minus(Duration.ofDays(1)))));

        assertThat(task.state()).isEqualTo(TaskState.READY);
        assertThat(task.due()).isAfter(before).isEqualTo(task.created());
    }

    @Test
    void theEndOfTheWaitMayBeGiven() throws SQLException {
        Instant tomorrow = leat.storage().now().plus(Duration.ofDays(1));
        options(QueueOptions.builder().ttl(Duration.ofMinutes(1)));

        long id = insert("expires", micros(tomorrow));

        assertThat(micros(peek(id).expires().orElseThrow())).isEqualTo(micros(tomorrow));
    }

    @Test
    void lowerPrioritiesGoFirst() throws SQLException {
        options(QueueOptions.builder().priority(3));
        long usual = insert();
        long put = leat.put(q, "put");
        long last = insert("priority", 4);
        long first = insert("priority", -1);

        assertThat(takeIds(9)).containsExactly(first, usual, put, last);
    }

    @Test
    void takesFindWhatTheirOrderAsksFor() throws SQLException {
        options(QueueOptions.builder()
                .typeFilter(QueueOptions.TypeFilter.ON)
                .takeOrder(TakeOrder.random())
                .takeOrder(TakeOrder.preferDistinct("company")));
        long ofType = insert("type", "mail");
        assertThat(leat.take(TakeRequest.from(q).types(Set.of("letter")))).isEmpty();
        assertThat(leat.take(TakeRequest.from(q).types(Set.of("mail"))))
                .extracting(TakenTask::id)
                .containsExactly(ofType);
        long one = insert("tags", "{\"company\":1}");
        insert("tags", "{\"company\":1}");
        long two = insert("tags", "{\"company\":2}");
        assertThat(leat.take(TakeRequest.from(q)
                        .order(TakeOrder.preferDistinct("company"))
                        .count(2)))
                .extracting(TakenTask::id)
                .containsExactlyInAnyOrder(one, two);
        assertThat(leat.take(TakeRequest.from(q).order(TakeOrder.random()))).hasSize(1);
    }

    @Test
    void tenantsTakeTurnsAndKeepToTheirLimit() throws SQLException { // N12, N16
        options(QueueOptions.builder().tenantLimit(2));
        for (int i = 0; i < 4; i++) {
            insert("tenant", "a");
        }
        insert("tenant", "b");

        assertThat(leat.take(TakeRequest.from(q).count(9)))
                .extracting(taken -> taken.task().tenant().orElseThrow())
                .containsExactlyInAnyOrder("a", "a", "b");
    }
}
