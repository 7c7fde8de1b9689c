package dev.leat.sql.insert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leat.Leat;
import dev.leat.TakeRequest;
import dev.leat.TakenTask;
import dev.leat.Task;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of plain inserts share: short words for the common steps. */
abstract class PlainInsertTest {
    Leat leat;
    Connection connection;
    String q;

    /** The same one for all tests of a class. */
    abstract PlainInserter inserter();

    @BeforeEach
    void newQueue() {
        leat = inserter().leat;
        connection = inserter().connection;
        q = inserter().newQueue();
    }

    @AfterEach
    void leaveNothing() throws SQLException {
        inserter().leaveNothing();
    }

    void options(QueueOptions.Builder options) {
        leat.storage().queues().declare(q, options.build(), QueueInfo.SetBy.CODE);
    }

    /** Inserts a row with these columns and values, one after the other, into the test's queue; answers its id. */
    long insert(Object... pairs) throws SQLException {
        return insertInto(q, pairs);
    }

    long insertInto(String queue, Object... pairs) throws SQLException {
        List<Object> row = new ArrayList<>(List.of("queue", queue));
        row.addAll(List.of(pairs));
        return insertRow(row);
    }

    long insertRow(List<Object> pairs) throws SQLException {
        List<String> columns = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i += 2) {
            columns.add((String) pairs.get(i));
            values.add(pairs.get(i + 1));
        }
        String places = "?" + ", ?".repeat(values.size() - 1);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO leat_task (" + String.join(", ", columns) + ") VALUES (" + places + ") RETURNING id")) {
            for (int i = 0; i < values.size(); i++) {
                insert.setObject(i + 1, values.get(i));
            }
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    static long micros(Instant instant) {
        return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) + instant.getNano() / 1_000;
    }

    Task peek(long id) {
        return leat.peek(id).orElseThrow();
    }

    List<Long> takeIds(int count) {
        return leat.take(TakeRequest.from(q).count(count)).stream()
                .map(TakenTask::id)
                .toList();
    }

    long live() {
        return leat.queue(q).stats().live();
    }

    void assertRefused(String message, ThrowingCallable insert) {
        assertThatExceptionOfType(SQLException.class).isThrownBy(insert).withMessageContaining(message);
        assertThat(live()).isZero();
    }
}
