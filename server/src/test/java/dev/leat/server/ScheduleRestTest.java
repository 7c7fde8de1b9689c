package dev.leat.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Leat;
import dev.leat.NewTask;
import dev.leat.TaskQuery;
import dev.leat.error.AccessDeniedException;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Cron;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import dev.leat.schedule.ScheduleQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schedules over real sockets, on a file. */
class ScheduleRestTest {
    private static final String NIGHTLY = """
            {"cron": "30 2 * * MON-FRI", "zone": "Europe/Berlin", "missed": "catch_up", "catchUp": 3, "overlap": "skip",
             "task": {"queue": "reports", "payload": {"all": true}, "tenant": "acme", "priority": -1}}
            """;

    @TempDir
    Path folder;

    private Path audit;
    private TokenFile tokens;
    private Leat leat;
    private LeatServer server;
    private Client admin;
    private Client ofReports;
    private Leat remote;

    @BeforeEach
    void start() {
        audit = folder.resolve("audit.ndjson");
        tokens = new TokenFile(folder.resolve("tokens.json"));
        leat = Leat.open("sqlite:" + folder.resolve("jobs.db"));
        String token = tokens.create("boss", Set.of(Role.ADMIN), List.of(), Optional.empty());
        String some = tokens.create("some", Set.of(Role.ADMIN), List.of("reports"), Optional.empty());
        server = LeatServer.start(
                leat,
                ServerOptions.builder()
                        .port(0)
                        .tokens(tokens.path())
                        .auditLog(audit)
                        .build());
        admin = client(token);
        ofReports = client(some);
        remote = Leat.open("http://127.0.0.1:" + server.port() + "?token=" + some);
    }

    private Client client(String token) {
        return new Client(server.port()).with("Authorization", "Bearer " + token);
    }

    @AfterEach
    void stop() {
        remote.close();
        server.close();
        leat.close();
    }

    private void other() {
        leat.schedules()
                .put(Schedule.of(
                        "other", Cron.of("@yearly"), NewTask.to("secret").build()));
    }

    @Test
    void aScheduleIsMadeLookedAtAndDropped() throws IOException {
        JsonNode put = admin.send("PUT", "/v1/schedules/nightly%20report", NIGHTLY)
                .is(200)
                .body();

        ScheduleInfo info = leat.schedules().find("nightly report").orElseThrow();
        assertThat(info.schedule())
                .isEqualTo(Schedule.of(
                                "nightly report",
                                Cron.of("30 2 * * MON-FRI", ZoneId.of("Europe/Berlin")),
                                info.schedule().task())
                        .missed(MissedRuns.catchUp(3))
                        .noOverlap());
        assertThat(info.schedule().task().payload().text()).isEqualTo("{\"all\":true}");
        assertThat(info.schedule().tenant()).contains("acme");
        assertThat(info.setBy()).isEqualTo(QueueInfo.SetBy.OPERATOR);
        assertThat(admin.get("/v1/schedules/nightly%20report").is(200).body()).isEqualTo(put);
        assertThat(admin.get("/v1/schedules?tenant=acme&limit=1")
                        .is(200)
                        .body()
                        .get("next")
                        .textValue())
                .isEqualTo("nightly report");
        assertThat(admin.get("/v1/schedules?tenant=nobody").is(200).body().get("schedules"))
                .isEmpty();
        assertThat(admin.get("/v1/schedules/nightly%20report/next?count=3")
                        .is(200)
                        .body()
                        .get("runs"))
                .hasSize(3)
                .first()
                .isEqualTo(put.get("nextRun"));
        admin.send("DELETE", "/v1/schedules/nightly%20report", "").is(204);
        assertThat(admin.get("/v1/schedules/nightly%20report").is(404).code()).isEqualTo("schedule-not-found");
        assertThat(Files.readString(audit))
                .contains("PUT /v1/schedules/nightly%20report")
                .contains("DELETE /v1/schedules/nightly%20report");
    }

    @Test
    void whatIsShownCanBePutBack() {
        JsonNode shown =
                admin.send("PUT", "/v1/schedules/nightly", NIGHTLY).is(200).body();
        ObjectNode back = shown.deepCopy();
        back.remove(List.of("name", "setBy", "paused", "created", "nextRun"));

        assertThat(admin.send("PUT", "/v1/schedules/nightly", back.toString())
                        .is(200)
                        .body())
                .isEqualTo(shown);
    }

    @Test
    void aScheduleIsPausedResumedAndTriggered() {
        admin.send("PUT", "/v1/schedules/nightly", NIGHTLY).is(200);

        assertThat(admin.post("/v1/schedules/nightly/pause", "")
                        .is(200)
                        .body()
                        .get("paused")
                        .booleanValue())
                .isTrue();
        JsonNode first =
                admin.post("/v1/schedules/nightly/trigger", "{}").is(200).body();
        JsonNode second =
                admin.post("/v1/schedules/nightly/trigger", "").is(200).body();
        assertThat(admin.post("/v1/schedules/nightly/resume", "").is(200).body().has("nextRun"))
                .isTrue();

        assertThat(first.get("created").booleanValue()).isTrue();
        assertThat(second.get("created").booleanValue())
                .as("it must not overlap")
                .isFalse();
        assertThat(second.get("task")).isEqualTo(first.get("task"));
        assertThat(leat.list(TaskQuery.of("reports"))).hasSize(1);
    }

    /** The server itself puts what its clients have only made. */
    @Test
    void theServerPutsWhatIsDue() {
        remote.schedules()
                .put(Schedule.of(
                        "often",
                        Cadence.every(Duration.ofSeconds(1)),
                        NewTask.to("reports").build()));
        remote.close();

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> leat.list(TaskQuery.of("reports")).size() >= 2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "{\"task\": {\"queue\": \"q\"}} | cron",
                "{\"cron\": \"@daily\", \"every\": 60, \"task\": {\"queue\": \"q\"}} | every",
                "{\"cron\": \"61 * * * *\", \"task\": {\"queue\": \"q\"}} | cron",
                "{\"cron\": \"@daily\", \"zone\": \"Mars/Base\", \"task\": {\"queue\": \"q\"}} | zone",
                "{\"cron\": \"@daily\", \"start\": \"2026-01-01T00:00:00Z\", \"task\": {\"queue\": \"q\"}} | start",
                "{\"every\": \"10ms\", \"task\": {\"queue\": \"q\"}} | every",
                "{\"every\": 60} | task",
                "{\"every\": 60, \"task\": null} | task",
                "{\"every\": 60, \"start\": \"1969-01-01T00:00:00Z\", \"task\": {\"queue\": \"q\"}} | start",
                "{\"every\": 60, \"task\": {}} | task.queue",
                "{\"every\": 60, \"task\": {\"queue\": \"q\", \"prio\": 1}} | task.prio",
                "{\"every\": 60, \"task\": {\"queue\": \"q\", \"group\": 1}} | group",
                "{\"every\": 60, \"missed\": \"catch_up\", \"task\": {\"queue\": \"q\"}} | catchUp",
                "{\"every\": 60, \"missed\": \"never\", \"task\": {\"queue\": \"q\"}} | missed",
                "{\"every\": 60, \"overlap\": \"no\", \"task\": {\"queue\": \"q\"}} | overlap",
            })
    void whatIsWrongIsNamed(String body, String field) {
        JsonNode problem = admin.send("PUT", "/v1/schedules/s", body).is(400).body();

        assertThat(problem.get("field").textValue()).as("%s", problem).isEqualTo(field);
        assertThat(leat.schedules().list(ScheduleQuery.all())).isEmpty();
    }

    @Test
    void aTokenForSomeQueuesIsForTheirSchedules() {
        other();

        ofReports.send("PUT", "/v1/schedules/mine", NIGHTLY).is(200);
        ofReports.get("/v1/schedules?queue=reports").is(200);
        ofReports.get("/v1/schedules").is(403);
        ofReports.get("/v1/schedules?queue=secret").is(403);
        ofReports.get("/v1/schedules/other").is(403);
        ofReports.get("/v1/schedules/other/next").is(403);
        for (String deed : List.of("pause", "resume", "trigger")) {
            ofReports.post("/v1/schedules/other/" + deed, "").is(403);
        }
        ofReports.send("PUT", "/v1/schedules/other", NIGHTLY).is(403);
        ofReports
                .send("PUT", "/v1/schedules/x", "{\"every\": 60, \"task\": {\"queue\": \"secret\"}}")
                .is(403);
        ofReports.send("DELETE", "/v1/schedules/other", "").is(403);
        assertThat(leat.schedules().find("other").orElseThrow().paused()).isFalse();
        assertThat(leat.list(TaskQuery.live())).isEmpty();
    }

    @Test
    void aClientWithSuchATokenIsRefusedTheSame() {
        other();
        Schedule mine =
                Schedule.of("mine", Cron.of("@yearly"), NewTask.to("reports").build());

        assertThat(remote.schedules().put(mine).schedule()).isEqualTo(mine);
        assertThat(remote.schedules().list(ScheduleQuery.all().queue("reports")))
                .hasSize(1);
        for (Runnable deed : List.<Runnable>of(
                () -> remote.schedules().find("other"),
                () -> remote.schedules().list(ScheduleQuery.all()),
                () -> remote.schedules().pause("other"),
                () -> remote.schedules().resume("other"),
                () -> remote.schedules().trigger("other"),
                () -> remote.schedules().drop("other"),
                () -> remote.storage()
                        .schedules()
                        .put(mine.task(NewTask.to("secret").build()), QueueInfo.SetBy.CODE),
                () -> remote.storage()
                        .schedules()
                        .put(
                                Schedule.of(
                                        "other",
                                        Cron.of("@yearly"),
                                        NewTask.to("reports").build()),
                                QueueInfo.SetBy.CODE))) {
            assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(deed::run);
        }
        assertThat(leat.schedules().find("other").orElseThrow().schedule().queue())
                .isEqualTo("secret");
        assertThat(leat.list(TaskQuery.live())).isEmpty();
    }
}
