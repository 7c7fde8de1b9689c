package dev.leat.sql.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leat.NewTask;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.FixedRate;
import dev.leat.schedule.Schedule;
import dev.leat.sql.SqlDocs;
import dev.leat.sql.TestDatabase;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/sql.md says of the views is so. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ViewsContract {
    private SeenDatabase seen;

    abstract TestDatabase newDatabase();

    /** What a column of time says. */
    abstract Optional<Instant> time(ResultSet row, int column) throws SQLException;

    @BeforeAll
    void open() throws SQLException {
        seen = new SeenDatabase(newDatabase(), this::time);
    }

    @AfterAll
    void close() throws SQLException {
        seen.close();
    }

    @Nested
    class Tasks extends TaskViewContract {
        @Override
        SeenDatabase seen() {
            return seen;
        }
    }

    @Nested
    class Attempts extends AttemptViewContract {
        @Override
        SeenDatabase seen() {
            return seen;
        }
    }

    @Nested
    class Nsj extends NsjViewContract {
        @Override
        SeenDatabase seen() {
            return seen;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "leat_tasks",
                "leat_attempts",
                "leat_tarefas",
                "leat_queues",
                "leat_oldest_waiting",
                "leat_failures",
                "leat_schedules"
            })
    void everyColumnIsDocumented(String view) throws SQLException, IOException {
        assertThat(seen.columns(view)).isEqualTo(SqlDocs.columns(view));
    }

    @Test
    void aScheduleIsSeenAsItStands() throws SQLException {
        Instant begin = seen.clock.instant();
        Schedule schedule = Schedule.of(
                "seen",
                FixedRate.of(Duration.ofMinutes(2)),
                NewTask.to("seen").tenant("acme").build());
        seen.storage.schedules().put(schedule, QueueInfo.SetBy.OPERATOR);
        long task = seen.storage.schedules().trigger("seen").id();

        assertThat(seen.rows("SELECT * FROM leat_schedules WHERE name = 'seen'"))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row)
                            .containsEntry("queue", "seen")
                            .containsEntry("tenant", "acme")
                            .containsEntry("missed", "RUN_ONCE")
                            .containsEntry("overlap", "ALLOW")
                            .containsEntry("set_by", "OPERATOR")
                            .containsEntry("paused", false)
                            .containsEntry("created_at", begin)
                            .containsEntry("next_run_at", begin.plusSeconds(120))
                            .containsEntry("last_run_at", begin)
                            .containsEntry("last_task_id", Long.toString(task));
                    assertThat(Double.parseDouble(String.valueOf(row.get("every_seconds"))))
                            .isEqualTo(120);
                    assertThat(row.get("cron")).isNull();
                });
    }

    static Stream<String> queriesOfTheDocumentation() throws IOException {
        return SqlDocs.statements(SqlDocs.VIEWS).stream();
    }

    @ParameterizedTest
    @MethodSource("queriesOfTheDocumentation")
    void everyQueryOfTheDocumentationRuns(String sql) throws SQLException {
        assertThat(seen.rows(sql)).isNotNull();
    }
}
