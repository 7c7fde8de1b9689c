package dev.leat.wire;

import static dev.leat.wire.Values.need;

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
                .put("deadAfter", Values.seconds(spec.deadAfter()))
                .put("grace", Values.seconds(spec.grace()));
    }

    public static SessionSpec spec(JsonFields fields) {
        SessionSpec spec = SessionSpec.named(Values.text(fields, "name"));
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
        map.set("cancelRequested", Values.list(reply.cancelRequested(), Values::of));
        return map;
    }

    public static HeartbeatReply heartbeatReply(JsonNode described) {
        JsonFields fields = JsonFields.of("reply", described);
        HeartbeatReply reply = new HeartbeatReply(
                need("alive", fields.flag("alive")),
                Values.list(fields, "cancelRequested", Values::lease),
                need("written", fields.flag("written")));
        fields.end();
        return reply;
    }

    // Time

    public static void put(ObjectNode map, Sweep sweep) {
        map.put("sessions", Values.name(sweep.sessions()))
                .put("limit", sweep.limit())
                .put("purge", Values.name(sweep.purge()));
    }

    public static Sweep sweep(JsonFields fields) {
        return new Sweep(
                Values.oneOf(fields, "sessions", Sweep.Sessions.class),
                fields.integer("limit").orElse(Integer.MAX_VALUE),
                fields.oneOf("purge", Sweep.Purge.class).orElse(Sweep.Purge.WHEN_DUE));
    }

    public static ObjectNode of(Sweep.Result result) {
        ObjectNode map =
                Cbor.map().put("purged", result.purged()).set("events", Values.list(result.events(), TaskMessages::of));
        result.nextIn().map(Duration::toNanos).ifPresent(nanos -> map.put("nextInNanos", nanos));
        return map;
    }

    public static Sweep.Result sweepResult(JsonNode described) {
        JsonFields fields = JsonFields.of("result", described);
        Sweep.Result result = new Sweep.Result(
                Values.list(fields, "events", TaskMessages::event),
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
        return map.put("notice", Values.name(kind));
    }

    public static Notice notice(JsonFields fields) {
        return switch (Values.oneOf(fields, "notice", Kind.class)) {
            case READY -> new Notice.Ready(Values.text(fields, "queue"));
            case PAUSED -> new Notice.Paused(Values.text(fields, "queue"));
            case SESSION_NEWS -> new Notice.SessionNews(Values.text(fields, "session"));
            case TASK_NEWS -> new Notice.TaskNews(need("task", fields.number("task")));
            case TIMER_MOVED -> Notice.TimerMoved.INSTANCE;
        };
    }

    public static ObjectNode of(Finding finding) {
        return Cbor.map()
                .put("level", Values.name(finding.level()))
                .put("what", finding.what())
                .put("advice", finding.advice());
    }

    public static Finding finding(JsonNode described) {
        JsonFields fields = JsonFields.of("finding", described);
        Finding finding = new Finding(
                Values.oneOf(fields, "level", Finding.Level.class),
                Values.text(fields, "what"),
                Values.text(fields, "advice"));
        fields.end();
        return finding;
    }
}
