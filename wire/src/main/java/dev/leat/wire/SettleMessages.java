package dev.leat.wire;

import static dev.leat.wire.WireValues.need;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.Payload;
import dev.leat.Settle;
import dev.leat.SettleResult;
import dev.leat.TaskState;
import dev.leat.Touch;
import dev.leat.When;
import dev.leat.json.JsonFields;
import java.time.Duration;

/** Settles and touches, and their results. */
public final class SettleMessages {
    private SettleMessages() {}

    private enum HowItEnded {
        ACK,
        FAIL,
        RETRY,
        RELEASE,
        BURY,
        CANCEL,
        GIVE_BACK
    }

    public static ObjectNode of(Settle settle) {
        ObjectNode map = Cbor.map();
        map.set("lease", WireValues.of(settle.lease()));
        if (!settle.message().isEmpty()) {
            map.put("message", settle.message());
        }
        return settle.match(
                ack -> of(map, ack),
                fail -> of(map, fail),
                retry -> of(map, retry),
                release -> outcome(map, HowItEnded.RELEASE).put("delay", WireValues.seconds(release.delay())),
                bury -> outcome(map, HowItEnded.BURY),
                cancel -> outcome(map, HowItEnded.CANCEL),
                giveBack -> of(map, giveBack));
    }

    private static ObjectNode of(ObjectNode map, Settle.Ack ack) {
        ack.result().ifPresent(result -> TaskMessages.putPayload(map.putObject("result"), result));
        return outcome(map, HowItEnded.ACK);
    }

    private static ObjectNode of(ObjectNode map, Settle.Fail fail) {
        map.put("code", fail.failureCode());
        TaskMessages.putThrown(map, fail.thrown());
        return outcome(map, HowItEnded.FAIL);
    }

    private static ObjectNode of(ObjectNode map, Settle.Retry retry) {
        retry.due()
                .match(
                        in -> map.put("delay", WireValues.seconds(in.delay())),
                        at -> map.put("due", WireValues.micros(at.instant())));
        return outcome(map, HowItEnded.RETRY);
    }

    private static ObjectNode of(ObjectNode map, Settle.GiveBack giveBack) {
        if (!giveBack.delay().isZero()) {
            map.put("delay", WireValues.seconds(giveBack.delay()));
        }
        return outcome(map, HowItEnded.GIVE_BACK);
    }

    private static ObjectNode outcome(ObjectNode map, HowItEnded outcome) {
        return map.put("outcome", WireValues.name(outcome));
    }

    public static Settle settle(JsonNode described) {
        JsonFields fields = JsonFields.of("settle", described);
        Lease lease = WireValues.lease(fields);
        Settle settle =
                switch (WireValues.oneOf(fields, "outcome", HowItEnded.class)) {
                    case ACK ->
                        new Settle.Ack(
                                lease, message(fields), fields.object("result").map(result -> TaskMessages.payload(
                                                result)
                                        .orElse(Payload.empty())));
                    case FAIL ->
                        new Settle.Fail(
                                lease, message(fields), fields.integer("code").orElse(0), TaskMessages.thrown(fields));
                    case RETRY ->
                        new Settle.Retry(
                                lease,
                                WireValues.time(fields, "due").map(When::at).orElseGet(() -> When.in(delay(fields))),
                                message(fields));
                    case RELEASE -> new Settle.Release(lease, delay(fields));
                    case BURY -> new Settle.Bury(lease, message(fields));
                    case CANCEL -> new Settle.Cancel(lease, message(fields));
                    case GIVE_BACK -> new Settle.GiveBack(lease, delay(fields));
                };
        fields.end();
        return settle;
    }

    private static String message(JsonFields fields) {
        return fields.text("message").orElse("");
    }

    private static Duration delay(JsonFields fields) {
        return fields.duration("delay").orElse(Duration.ZERO);
    }

    public static ObjectNode of(SettleResult result) {
        return Cbor.map()
                .put("status", WireValues.name(result.status()))
                .put("queue", result.queue())
                .put("state", WireValues.name(result.state()));
    }

    public static SettleResult settleResult(JsonNode described) {
        JsonFields fields = JsonFields.of("result", described);
        SettleResult result = new SettleResult(
                WireValues.oneOf(fields, "status", SettleResult.Status.class),
                WireValues.text(fields, "queue"),
                WireValues.oneOf(fields, "state", TaskState.class));
        fields.end();
        return result;
    }

    public static ObjectNode of(Touch touch) {
        ObjectNode map = Cbor.map().put("by", WireValues.seconds(touch.by()));
        map.set("lease", WireValues.of(touch.lease()));
        return map;
    }

    public static Touch touch(JsonNode described) {
        JsonFields fields = JsonFields.of("touch", described);
        Touch touch = new Touch(WireValues.lease(fields), need("by", fields.duration("by")));
        fields.end();
        return touch;
    }

    public static ObjectNode of(Touch.Result result) {
        ObjectNode map =
                Cbor.map().put("status", WireValues.name(result.status())).put("queue", result.queue());
        WireValues.putTime(map, "leaseUntil", result.leaseUntil());
        return map;
    }

    public static Touch.Result touchResult(JsonNode described) {
        JsonFields fields = JsonFields.of("result", described);
        Touch.Result result = new Touch.Result(
                WireValues.oneOf(fields, "status", Touch.Result.Status.class),
                WireValues.text(fields, "queue"),
                WireValues.time(fields, "leaseUntil"));
        fields.end();
        return result;
    }
}
