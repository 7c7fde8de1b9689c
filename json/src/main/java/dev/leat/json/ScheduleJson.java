package dev.leat.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.NewTask;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.QueueInfo;
import dev.leat.schedule.Cadence;
import dev.leat.schedule.Cron;
import dev.leat.schedule.FixedRate;
import dev.leat.schedule.MissedRuns;
import dev.leat.schedule.Schedule;
import dev.leat.schedule.ScheduleInfo;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Schedules as JSON. Callers with another form of tasks give the functions that read and write tasks. */
public final class ScheduleJson {
    private static final String MISSED = "missed";

    private ScheduleJson() {}

    /** The kinds of {@link MissedRuns}, by their names. */
    private enum Kind {
        SKIP,
        RUN_ONCE,
        CATCH_UP
    }

    // Writing

    public static ObjectNode of(ScheduleInfo info) {
        return of(info, TaskJson::of);
    }

    public static ObjectNode of(ScheduleInfo info, Function<NewTask, ? extends JsonNode> task) {
        ObjectNode json = of(info.schedule(), task)
                .put("setBy", name(info.setBy()))
                .put("paused", info.paused())
                .put("created", info.created().toString());
        info.nextRun().ifPresent(time -> json.put("nextRun", time.toString()));
        info.lastRun().ifPresent(time -> json.put("lastRun", time.toString()));
        info.lastTask().ifPresent(id -> json.put("lastTask", id));
        info.lastSkip().ifPresent(skip -> json.putObject("lastSkip")
                .put("due", skip.due().toString())
                .put("reason", skip.reason()));
        return json;
    }

    public static ObjectNode of(Schedule schedule, Function<NewTask, ? extends JsonNode> task) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", schedule.name());
        ObjectNode cadence = schedule.cadence().match(ScheduleJson::of, ScheduleJson::of);
        json.setAll(cadence);
        json.setAll(of(schedule.missed()));
        json.put("overlap", name(schedule.overlap()));
        return json.set("task", task.apply(schedule.task()));
    }

    private static ObjectNode of(Cron cron) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("cron", cron.expression())
                .put("zone", cron.zone().getId());
    }

    private static ObjectNode of(MissedRuns missed) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        return missed.match(
                skip -> json.put(MISSED, name(Kind.SKIP)).put("tolerance", DurationText.seconds(skip.tolerance())),
                runOnce -> json.put(MISSED, name(Kind.RUN_ONCE)),
                catchUp -> json.put(MISSED, name(Kind.CATCH_UP)).put("catchUp", catchUp.most()));
    }

    private static ObjectNode of(FixedRate rate) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("every", DurationText.seconds(rate.interval()));
        rate.start().ifPresent(start -> json.put("start", start.toString()));
        return json;
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    // Reading

    /** @param name the name, which is not in the JSON */
    public static Schedule read(JsonFields fields, String name) {
        Schedule schedule = schedule(fields, name, TaskJson::newTask);
        fields.end();
        return schedule;
    }

    public static Schedule read(JsonNode described, Function<JsonNode, NewTask> task) {
        JsonFields fields = JsonFields.of("schedule", described);
        Schedule schedule = schedule(fields, need("name", fields.text("name")), task);
        fields.end();
        return schedule;
    }

    public static ScheduleInfo info(JsonNode described, Function<JsonNode, NewTask> task) {
        JsonFields fields = JsonFields.of("schedule", described);
        ScheduleInfo info = new ScheduleInfo(
                schedule(fields, need("name", fields.text("name")), task),
                need("setBy", fields.oneOf("setBy", QueueInfo.SetBy.class)),
                need("paused", fields.flag("paused")),
                need("created", fields.instant("created")),
                fields.instant("nextRun"),
                fields.instant("lastRun"),
                fields.number("lastTask").map(OptionalLong::of).orElse(OptionalLong.empty()),
                fields.object("lastSkip").map(ScheduleJson::skip));
        fields.end();
        return info;
    }

    private static ScheduleInfo.Skip skip(JsonFields fields) {
        return new ScheduleInfo.Skip(need("due", fields.instant("due")), need("reason", fields.text("reason")));
    }

    private static Schedule schedule(JsonFields fields, String name, Function<JsonNode, NewTask> task) {
        Cadence cadence = cadence(fields);
        Schedule schedule = Schedule.of(name, cadence, task(need("task", fields.any("task")), task));
        schedule = missed(fields).map(schedule::missed).orElse(schedule);
        return fields.oneOf("overlap", Schedule.Overlap.class)
                .map(schedule::overlap)
                .orElse(schedule);
    }

    private static NewTask task(JsonNode described, Function<JsonNode, NewTask> task) {
        if (!described.isObject()) {
            throw new InvalidRequestException("task", "must be a JSON object");
        }
        try {
            return task.apply(described);
        } catch (InvalidRequestException e) {
            throw new InvalidRequestException("task." + e.field(), e.problem(), e);
        }
    }

    private static Cadence cadence(JsonFields fields) {
        Optional<Cadence> cron = fields.text("cron")
                .map(Cron::of)
                .map(utc ->
                        fields.text("zone").map(ScheduleJson::zone).map(utc::in).orElse(utc));
        Optional<Cadence> rate = fields.duration("every")
                .map(FixedRate::of)
                .map(every -> fields.instant("start").map(every::startingAt).orElse(every));
        if (cron.isPresent() == rate.isPresent()) {
            throw new InvalidRequestException(
                    cron.isPresent() ? "every" : "cron",
                    "or its other form, cron or every, must be there, and not both");
        }
        return cron.or(() -> rate).orElseThrow();
    }

    /** A zone by its name, such as {@code Europe/Berlin}. */
    public static ZoneId zone(String name) {
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new InvalidRequestException(
                    "zone", "must be the name of a zone such as Europe/Berlin, was '" + name + "'", e);
        }
    }

    private static Optional<MissedRuns> missed(JsonFields fields) {
        Optional<Kind> kind = fields.oneOf(MISSED, Kind.class);
        if (kind.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                switch (kind.get()) {
                    case SKIP ->
                        fields.duration("tolerance").map(MissedRuns::skip).orElseGet(MissedRuns::skip);
                    case RUN_ONCE -> MissedRuns.runOnce();
                    case CATCH_UP -> MissedRuns.catchUp(need("catchUp", fields.integer("catchUp")));
                });
    }

    private static <T> T need(String field, Optional<T> value) {
        return value.orElseThrow(() -> new InvalidRequestException(field, "is missing"));
    }
}
