package dev.leat.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueInfo;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.queue.TakeOrder;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Queues and their options as JSON. Durations are seconds; a missing field has its default. */
public final class QueueJson {
    private static final String UNLIMITED = "unlimited";

    private QueueJson() {}

    // Writing

    public static ObjectNode of(QueueInfo info) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", info.name()).put("paused", info.paused()).put("setBy", name(info.setBy()));
        json.set("options", of(info.options()));
        return json;
    }

    public static ObjectNode of(QueueOptions options) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("priority", options.priority());
        options.ttl().ifPresent(ttl -> json.put("ttl", DurationText.seconds(ttl)));
        options.ttr().ifPresent(ttr -> json.put("ttr", DurationText.seconds(ttr)));
        json.put("ttrDefault", name(options.ttrDefault()));
        json.put("capacity", options.capacity());
        json.put("lifetime", name(options.lifetime()));
        putLimit(json, "maxFailures", options.retry().maxFailures());
        putLimit(json, "maxLosses", options.retry().maxLosses());
        json.put("charge", name(options.retry().charge()));
        json.set("backoff", of(options.retry().backoff()));
        json.put("anchor", name(options.retry().anchor()));
        json.put("exhausted", name(options.exhaustion()));
        Retention kept = options.retention();
        json.putObject("keep")
                .put("done", DurationText.seconds(kept.done()))
                .put("failed", DurationText.seconds(kept.failed()))
                .put("expired", DurationText.seconds(kept.expired()))
                .put("canceled", DurationText.seconds(kept.canceled()))
                .put("payload", kept.donePayload() == Retention.DonePayload.KEEP);
        json.put("placeBy", name(options.placeBy()));
        ArrayNode orders = json.putArray("orders");
        options.takeOrders().forEach(order -> orders.add(of(order)));
        json.put("typeFilter", name(options.typeFilter()));
        json.put("tenants", name(options.tenants()));
        json.put("tenantLimit", options.tenantLimit());
        options.number().ifPresent(number -> json.put("number", number));
        return json;
    }

    private static ObjectNode of(Backoff backoff) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        return backoff.match(
                fixed -> json.put("kind", "fixed").put("delay", DurationText.seconds(fixed.delay())),
                linear -> json.put("kind", "linear")
                        .put("step", DurationText.seconds(linear.step()))
                        .put("most", DurationText.seconds(linear.most())),
                exponential -> json.put("kind", "exponential")
                        .put("first", DurationText.seconds(exponential.first()))
                        .put("most", DurationText.seconds(exponential.most()))
                        .put("jitter", exponential.jitter()));
    }

    public static JsonNode of(TakeOrder order) {
        return order.match(
                simple -> JsonNodeFactory.instance.textNode(name(simple)), distinct -> JsonNodeFactory.instance
                        .objectNode()
                        .put("preferDistinct", distinct.tag())
                        .put("ties", name(distinct.ties())));
    }

    private static void putLimit(ObjectNode json, String field, int limit) {
        if (limit == RetryPolicy.UNLIMITED) {
            json.put(field, UNLIMITED);
        } else {
            json.put(field, limit);
        }
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    // Reading

    /** Reads options; an error names the unknown or wrong field. */
    public static QueueOptions options(JsonNode described) {
        JsonFields fields = JsonFields.of("queue", described);
        QueueOptions.Builder options = QueueOptions.builder();
        fields.integer("priority").ifPresent(options::priority);
        fields.duration("ttl").ifPresent(options::ttl);
        fields.duration("ttr").ifPresent(options::ttr);
        fields.oneOf("ttrDefault", QueueOptions.TtrDefault.class).ifPresent(options::ttrDefault);
        fields.integer("capacity").ifPresent(options::capacity);
        fields.oneOf("lifetime", QueueOptions.Lifetime.class).ifPresent(options::lifetime);
        options.retry(retry(fields));
        fields.oneOf("exhausted", Exhaustion.class).ifPresent(options::exhaustion);
        fields.object("keep").ifPresent(keep -> options.retention(retention(keep)));
        fields.oneOf("placeBy", QueueOptions.PlaceBy.class).ifPresent(options::placeBy);
        fields.array("orders").ifPresent(orders -> orders.forEach(order -> options.takeOrder(order(order))));
        fields.oneOf("typeFilter", QueueOptions.TypeFilter.class).ifPresent(options::typeFilter);
        fields.oneOf("tenants", QueueOptions.Tenants.class).ifPresent(options::tenants);
        fields.integer("tenantLimit").ifPresent(options::tenantLimit);
        fields.integer("number").ifPresent(options::number);
        fields.end();
        return options.build();
    }

    private static RetryPolicy retry(JsonFields fields) {
        RetryPolicy retry = RetryPolicy.standard();
        retry = limit(fields, "maxFailures").map(retry::maxFailures).orElse(retry);
        retry = limit(fields, "maxLosses").map(retry::maxLosses).orElse(retry);
        retry = fields.oneOf("charge", RetryPolicy.Charge.class)
                .map(retry::charge)
                .orElse(retry);
        retry = fields.object("backoff")
                .map(QueueJson::backoff)
                .map(retry::backoff)
                .orElse(retry);
        return fields.oneOf("anchor", RetryPolicy.Anchor.class)
                .map(retry::anchor)
                .orElse(retry);
    }

    private static Optional<Integer> limit(JsonFields fields, String field) {
        boolean isUnlimited = fields.any(field)
                .filter(value -> UNLIMITED.equals(value.textValue()))
                .isPresent();
        return isUnlimited ? Optional.of(RetryPolicy.UNLIMITED) : fields.integer(field);
    }

    private static Backoff backoff(JsonFields fields) {
        String kind = fields.text("kind").orElse("exponential");
        Backoff backoff =
                switch (kind) {
                    case "fixed" -> Backoff.fixed(fields.duration("delay").orElse(Duration.ZERO));
                    case "linear" ->
                        new Backoff.Linear(
                                fields.duration("step").orElse(Duration.ofMinutes(5)),
                                fields.duration("most").orElse(Duration.ofDays(365)));
                    case "exponential" ->
                        new Backoff.Exponential(
                                fields.duration("first").orElse(Duration.ofSeconds(1)),
                                fields.duration("most").orElse(Duration.ofMinutes(10)),
                                fields.fraction("jitter").orElse(0.1));
                    default ->
                        throw new InvalidRequestException(
                                "backoff.kind", "must be one of fixed, linear, exponential, was '" + kind + "'");
                };
        fields.end();
        return backoff;
    }

    private static Retention retention(JsonFields fields) {
        Retention standard = Retention.standard();
        Retention retention = new Retention(
                fields.duration("done").orElse(standard.done()),
                fields.duration("failed").orElse(standard.failed()),
                fields.duration("expired").orElse(standard.expired()),
                fields.duration("canceled").orElse(standard.canceled()),
                fields.flag("payload").orElse(false) ? Retention.DonePayload.KEEP : Retention.DonePayload.DROP);
        fields.end();
        return retention;
    }

    /** A take order: {@code "oldest"}, {@code "newest"}, {@code "random"} or {@code {"preferDistinct": "tag"}}. */
    public static TakeOrder order(JsonNode order) {
        JsonNode object =
                order.isObject() ? order : JsonNodeFactory.instance.objectNode().set("order", order);
        JsonFields fields = JsonFields.of("order", object);
        Optional<TakeOrder.Simple> simple = fields.oneOf("order", TakeOrder.Simple.class);
        if (simple.isPresent()) {
            fields.end();
            return simple.get();
        }
        String tag = fields.text("preferDistinct")
                .orElseThrow(() -> new InvalidRequestException(
                        "order", "must be oldest, newest, random or {\"preferDistinct\": tag}"));
        TakeOrder.Simple ties = fields.oneOf("ties", TakeOrder.Simple.class).orElse(TakeOrder.Simple.OLDEST);
        fields.end();
        return TakeOrder.preferDistinct(tag, ties);
    }
}
