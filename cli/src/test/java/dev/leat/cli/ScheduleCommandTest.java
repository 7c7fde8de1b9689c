package dev.leat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.Payload;
import dev.leat.TaskQuery;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Cron;
import dev.leat.schedule.FixedRate;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code leat schedule}, on a file. */
class ScheduleCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Leat behind;

    @BeforeEach
    void open() {
        behind = Leat.open(storage());
    }

    @AfterEach
    void close() {
        behind.close();
    }

    private String storage() {
        return "sqlite:" + folder.resolve("jobs.db");
    }

    private Cli.Ran leat(String... args) {
        List<String> all = new ArrayList<>(List.of("schedule"));
        all.addAll(List.of(args));
        all.addAll(List.of("--storage", storage()));
        return Cli.run(all.toArray(new String[0]));
    }

    private String done(String... args) {
        Cli.Ran ran = leat(args);
        assertThat(ran.exit()).as("%s%s", ran.out(), ran.err()).isZero();
        return ran.out().strip();
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        try {
            return JSON.readTree(done(all.toArray(new String[0])));
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private ScheduleInfo info(String name) {
        return behind.schedules().find(name).orElseThrow();
    }

    @Test
    void aScheduleHasAllThatWasSaid() {
        done(
                "put",
                "nightly",
                "reports",
                "{\"all\": true}",
                "--cron",
                "30 2 * * MON-FRI",
                "--zone",
                "Europe/Berlin",
                "--catch-up",
                "24",
                "--no-overlap",
                "--tenant",
                "acme",
                "--priority",
                "-1",
                "--ttr",
                "5m");

        NewTask task = NewTask.to("reports")
                .payload(Payload.of("{\"all\": true}".getBytes(StandardCharsets.UTF_8), Payload.JSON))
                .tenant("acme")
                .priority(-1)
                .ttr(Duration.ofMinutes(5))
                .build();
        assertThat(info("nightly").schedule())
                .isEqualTo(Schedule.of("nightly", Cron.of("30 2 * * MON-FRI", ZoneId.of("Europe/Berlin")), task)
                        .missed(MissedRuns.catchUp(24))
                        .noOverlap());
        assertThat(info("nightly").setBy()).isEqualTo(QueueInfo.SetBy.OPERATOR);
    }

    @Test
    void aFixedRateMayHaveAStart() {
        done("create", "s", "q", "--every", "90s", "--start", "2030-01-31T12:00:00Z", "--skip-late", "10s");

        assertThat(info("s").schedule())
                .isEqualTo(Schedule.of(
                                "s",
                                FixedRate.of(Duration.ofSeconds(90)).startingAt(Instant.parse("2030-01-31T12:00:00Z")),
                                NewTask.to("q").build())
                        .missed(MissedRuns.skip(Duration.ofSeconds(10))));
        assertThat(done("next", "s", "--count", "2")).isEqualTo("2030-01-31T12:00:00Z\n2030-01-31T12:01:30Z");
    }

    @Test
    void aScheduleIsPausedResumedTriggeredAndDropped() {
        done("put", "s", "q", "--cron", "@yearly", "--no-overlap");

        assertThat(done("pause", "s")).isEqualTo("s puts into q at '@yearly', but is paused.");
        assertThat(info("s").paused()).isTrue();
        String task = done("trigger", "s");
        assertThat(done("trigger", "s")).isEqualTo(task + " (was there, ready)");
        assertThat(behind.list(TaskQuery.of("q"))).hasSize(1);
        assertThat(done("resume", "s")).contains("next at ");
        assertThat(leat("drop", "s").exit()).as("nobody said --yes").isEqualTo(2);
        assertThat(done("drop", "s", "--yes")).isEqualTo("s is gone.");
        assertThat(leat("drop", "s", "--yes").exit()).isEqualTo(1);
        assertThat(leat("pause", "s").err()).contains("No schedule 's'.");
    }

    @Test
    void schedulesAreListedAndShown() {
        done("put", "a", "q", "--every", "1h", "--tenant", "acme");
        done("put", "b", "other", "--cron", "0 4 * * *");

        assertThat(json("list")).hasSize(2);
        assertThat(json("list", "--tenant", "acme").get(0).get("name").textValue())
                .isEqualTo("a");
        assertThat(json("list", "--queue", "other").get(0).get("cron").textValue())
                .isEqualTo("0 4 * * *");
        assertThat(done("list")).contains("SCHEDULE", "every 1h", "at '0 4 * * *'");
        assertThat(json("show", "a").get("every").intValue()).isEqualTo(3_600);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "put s q                                  | 2 | Say either --cron or --every",
                "put s q --every 1h --cron @daily         | 2 | Say either --cron or --every",
                "put s q --every 1h --zone UTC            | 2 | --zone is for --cron",
                "put s q --cron @daily --start 2030-01-31T12:00:00Z | 2 | --start is for --every",
                "put s q --cron @daily --catch-up 1 --skip-late 1s  | 2 | either --skip-late or --catch-up",
                "put s q --cron @midday                   | 1 | is not known",
                "put s q --cron @daily --zone Mars        | 1 | zone must be the name of a zone",
                "next s                                   | 1 | No schedule",
            })
    void whatIsWrongIsSaid(String command, int exit, String message) {
        Cli.Ran ran = leat(command.split(" "));

        assertThat(ran.exit()).isEqualTo(exit);
        assertThat(ran.err()).contains(message);
        assertThat(behind.schedules().list(ScheduleQuery.all())).isEmpty();
    }
}
