package dev.leat.wire;

import static dev.leat.wire.WireValues.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.SessionSpec;
import dev.leat.json.JsonFields;
import dev.leat.storage.Finding;
import dev.leat.storage.HeartbeatReply;
import dev.leat.storage.Notice;
import dev.leat.storage.Sweep;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Sessions, sweeps and notices. */
public final class SessionMessages {
    private SessionMessages() {}

    public static void put(ObjectNode map, SessionSpec spec) {
        map.put("name", spec.name())
                .put("deadAfter", WireValues.seconds(spec.deadAfter()))
                .put("grace", WireValues.seconds(spec.grace()));
    }

    public static SessionSpec spec(JsonFields fields) {
        SessionSpec spec = SessionSpec.named(WireValues.text(fields, "name"));
        spec = fields.duration("deadAfter").map(spec::deadAfter).orElse(spec);
        return fields.duration("grace").map(spec::grace).orElse(spec);
    }

    public static ObjectNode of(Map<String, Integer> waiting) {
        ObjectNode map = Cbor.map();
        waiting.forEach(map::put);
        return map;
    }

    public static Map<String, Integer> waiting(JsonFields fields) {
        Map<String, Integer> waiting = new HashMap<>();
        fields.object("waiting").ifPresent(queues -> queues.names()
                .forEach(queue -> queues.integer(queue).ifPresent(count -> waiting.put(queue, count))));
        return waiting;
    }

    public static ObjectNode of(HeartbeatReply reply) {
        ObjectNode map = Cbor.map().put("alive", reply.alive()).put("written", reply.written());
        map.set("cancelRequested", WireValues.list(reply.cancelRequested(), WireValues::of));
        return map;
    }

    public static HeartbeatReply heartbeatReply(JsonNode described) {
        JsonFields fields = JsonFields.of("reply", described);
        HeartbeatReply reply = new HeartbeatReply(
                need("alive", fields.flag("alive")),
                WireValues.list(fields, "cancelRequested", WireValues::lease),
                need("written", fields.flag("written")));
        fields.end();
        return reply;
    }

    // Time

    public static void put(ObjectNode map, Sweep sweep) {
        map.put("sessions", WireValues.name(sweep.sessions()))
                .put("limit", sweep.limit())
                .put("purge", WireValues.name(sweep.purge()));
    }

    public static Sweep sweep(JsonFields fields) {
        return new Sweep(
                WireValues.oneOf(fields, "sessions", Sweep.Sessions.class),
                fields.integer("limit").orElse(Integer.MAX_VALUE),
                fields.oneOf("purge", Sweep.Purge.class).orElse(Sweep.Purge.WHEN_DUE));
    }

    public static ObjectNode of(Sweep.Result result) {
        ObjectNode map = Cbor.map()
                .put("purged", result.purged())
                .set("events", WireValues.list(result.events(), TaskMessages::of));
        result.nextIn().map(Duration::toNanos).ifPresent(nanos -> map.put("nextInNanos", nanos));
        return map;
    }

    public static Sweep.Result sweepResult(JsonNode described) {
        JsonFields fields = JsonFields.of("result", described);
        Sweep.Result result = new Sweep.Result(
                WireValues.list(fields, "events", TaskMessages::event),
                fields.number("nextInNanos").map(Duration::ofNanos),
                fields.number("purged").orElse(0L));
        fields.end();
        return result;
    }

    // News

    private enum Kind {
        READY,
        PAUSED,
        TIMER_MOVED,
        SESSION_NEWS,
        TASK_NEWS
    }

    public static void put(ObjectNode map, Notice notice) {
        ObjectNode unused = notice.match(
                ready -> kind(map, Kind.READY).put("queue", ready.queue()),
                paused -> kind(map, Kind.PAUSED).put("queue", paused.queue()),
                timerMoved -> kind(map, Kind.TIMER_MOVED),
                news -> kind(map, Kind.SESSION_NEWS).put("session", news.session()),
                news -> kind(map, Kind.TASK_NEWS).put("task", news.taskId()));
    }

    private static ObjectNode kind(ObjectNode map, Kind kind) {
        return map.put("notice", WireValues.name(kind));
    }

    public static Notice notice(JsonFields fields) {
        return switch (WireValues.oneOf(fields, "notice", Kind.class)) {
            case READY -> new Notice.Ready(WireValues.text(fields, "queue"));
            case PAUSED -> new Notice.Paused(WireValues.text(fields, "queue"));
            case SESSION_NEWS -> new Notice.SessionNews(WireValues.text(fields, "session"));
            case TASK_NEWS -> new Notice.TaskNews(need("task", fields.number("task")));
            case TIMER_MOVED -> Notice.TimerMoved.INSTANCE;
        };
    }

    public static ObjectNode of(Finding finding) {
        return Cbor.map()
                .put("level", WireValues.name(finding.level()))
                .put("what", finding.what())
                .put("advice", finding.advice());
    }

    public static Finding finding(JsonNode described) {
        JsonFields fields = JsonFields.of("finding", described);
        Finding finding = new Finding(
                WireValues.oneOf(fields, "level", Finding.Level.class),
                WireValues.text(fields, "what"),
                WireValues.text(fields, "advice"));
        fields.end();
        return finding;
    }
}
