package dev.leat.storagetests.model;

import static dev.leat.TaskState.READY;
import static dev.leat.TaskState.SCHEDULED;
import static dev.leat.TaskState.TAKEN;
import static dev.leat.TaskState.WAITING;

import dev.leat.GroupInfo;
import dev.leat.NewTask;
import dev.leat.TaskState;
import dev.leat.queue.QueueOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that the model knows, and how it answers a question: by looking at one after the other.
 *
 * <p>Where the rules leave the words to the storage, the message is {@link #ANY_WORDS} and the code {@link #ANY_CODE}.
 */
abstract class ModelRows {
    static final String ANY_WORDS = "(whatever the storage says)";
    static final int ANY_CODE = -1;
    static final Comparator<Row> BY_PRIORITY_AND_ID =
            Comparator.<Row>comparingInt(r -> r.priority).thenComparingLong(r -> r.id);

    final Map<String, ModelQueue> queues = new LinkedHashMap<>();
    final List<Row> rows = new ArrayList<>();
    final List<ModelGroup> groups = new ArrayList<>();
    final Map<String, ModelSession> sessions = new LinkedHashMap<>();
    Instant now;

    ModelRows(Instant now) {
        this.now = now;
    }

    Row row(long id) {
        return rows.stream().filter(r -> r.id == id).findFirst().orElseThrow();
    }

    List<Row> rowsIn(TaskState... states) {
        return rows.stream().filter(r -> List.of(states).contains(r.state)).toList();
    }

    Stream<Row> live(String queue) {
        return rows.stream().filter(r -> r.state.isLive() && r.given.queue().equals(queue));
    }

    Stream<Row> members(ModelGroup group) {
        return rows.stream().filter(r -> r.isIn(group));
    }

    @Nullable
    ModelGroup groupOf(NewTask task) {
        return groups.stream()
                .filter(g -> g.id == task.group().orElse(0))
                .findFirst()
                .orElse(null);
    }

    Optional<Row> holder(String queue, String address) {
        return live(queue)
                .filter(r -> r.isUnburied() && r.given.address().equals(Optional.of(address)))
                .findFirst();
    }

    Stream<Row> held(String session) {
        return rows.stream().filter(r -> r.state == TAKEN && session.equals(r.session));
    }

    ModelQueue queue(String name) {
        return Optional.ofNullable(queues.get(name)).orElseThrow();
    }

    QueueOptions options(NewTask task) {
        return queue(task.queue()).options;
    }

    ModelSession session(String id) {
        return Optional.ofNullable(sessions.get(id)).orElseThrow();
    }

    /**
     * The state of a row that is back from wherever it was (2). A key closes no gate here: only a take parks (3).
     */
    TaskState gate(Row row) {
        ModelGroup group = groupOf(row.given);
        if (group != null && group.state == GroupInfo.State.OPEN) {
            return WAITING;
        }
        return row.due.isAfter(now) ? SCHEDULED : READY;
    }

    boolean isUnwanted(Row row) {
        return row.cancelRequested() || isCanceling(row);
    }

    boolean isCanceling(Row row) {
        ModelGroup group = groupOf(row.given);
        return group != null && group.state == GroupInfo.State.CANCELING;
    }

    boolean isKeyBusy(Row row) {
        return rows.stream().anyMatch(r -> r.state == TAKEN && r.hasSameKeyAs(row));
    }

    boolean hasCome(@Nullable Instant moment) {
        return moment != null && !moment.isAfter(now);
    }

    Instant now() {
        return now;
    }
}
