package dev.leat.sql.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.Settle;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.queue.Backoff;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.RetryPolicy;
import dev.leat.storage.Storage;
import dev.leat.testkit.ManualClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** What the tests of views share: a queue for each, and short words for what is done in it and for what is seen of it. */
abstract class ViewTest {
    static final Duration MINUTE = Duration.ofMinutes(1);

    Storage storage;
    ManualClock clock;
    String queue;

    /** The same one for all tests: making the tables takes longer than all of them. */
    abstract SeenDatabase seen();

    @BeforeEach
    void look(TestInfo test) {
        storage = seen().storage;
        clock = seen().clock;
        queue = test.getTestMethod().orElseThrow().getName();
    }

    // Doing

    void create(QueueOptions.Builder options) {
        storage.queues().create(queue, options.build());
    }

    static QueueOptions.Builder retrying(int maxFailures) {
        return QueueOptions.builder()
                .retry(RetryPolicy.standard().maxFailures(maxFailures).backoff(Backoff.fixed(MINUTE)));
    }

    NewTask.Builder task() {
        return NewTask.to(queue);
    }

    long put(NewTask.Builder task) {
        return storage.put(List.of(task.build())).get(0).id();
    }

    TakenTask take() {
        return storage.take(TakeRequest.from(queue)).get(0);
    }

    void settle(Settle settle) {
        storage.settle(List.of(settle));
    }

    void fail(String message) {
        settle(Settle.fail(take().lease(), message));
    }

    void ack() {
        settle(Settle.ack(take().lease()));
    }

    // Seeing

    List<Map<String, Object>> rows(String sql) throws SQLException {
        return seen().rows(sql);
    }

    Map<String, Object> row(String sql) throws SQLException {
        List<Map<String, Object>> rows = rows(sql);
        assertThat(rows).as(sql).hasSize(1);
        return rows.get(0);
    }

    Map<String, Object> task(long id) throws SQLException {
        return row("SELECT * FROM leat_tasks WHERE id = " + id);
    }

    List<Map<String, Object>> attempts(long id) throws SQLException {
        return rows("SELECT * FROM leat_attempts WHERE task_id = " + id + " ORDER BY attempt");
    }

    List<Object> statuses(long id) throws SQLException {
        return attempts(id).stream().map(row -> row.get("status")).toList();
    }

    Map<String, Object> summary() throws SQLException {
        return row("SELECT * FROM leat_queues WHERE queue = '" + queue + "'");
    }
}
