package dev.leat.sql.internal.row;

import dev.leat.error.StorageException;
import dev.leat.queue.Backoff;
import dev.leat.queue.Exhaustion;
import dev.leat.queue.QueueOptions;
import dev.leat.queue.Retention;
import dev.leat.queue.RetryPolicy;
import dev.leat.queue.TakeOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes and reads the options of a queue as flat JSON. A missing option has its default, so that older rows stay readable. */
public final class QueueOptionsJson {
    private QueueOptionsJson() {}

    public static String write(QueueOptions o) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("priority", Integer.toString(o.priority()));
        o.ttl().ifPresent(ttl -> map.put("ttl", ttl.toString()));
        o.ttr().ifPresent(ttr -> map.put("ttr", ttr.toString()));
        map.put("ttrDefault", o.ttrDefault().name());
        map.put("capacity", Integer.toString(o.capacity()));
        map.put("lifetime", o.lifetime().name());
        map.put("exhaustion", o.exhaustion().name());
        map.put("placeBy", o.placeBy().name());
        map.put("typeFilter", o.typeFilter().name());
        map.put("tenants", o.tenants().name());
        map.put("tenantLimit", Integer.toString(o.tenantLimit()));
        map.put(
                "takeOrders",
                o.takeOrders().stream().map(QueueOptionsJson::write).sorted().collect(Collectors.joining(" ")));
        o.number().ifPresent(number -> map.put("number", Integer.toString(number)));
        write(o.retry(), map);
        write(o.retention(), map);
        String json = FlatJson.write(map);
        return json == null ? "{}" : json;
    }

    private static void write(RetryPolicy retry, Map<String, String> map) {
        map.put("maxFailures", Integer.toString(retry.maxFailures()));
        map.put("maxLosses", Integer.toString(retry.maxLosses()));
        map.put("charge", retry.charge().name());
        map.put("anchor", retry.anchor().name());
        map.put("backoff", write(retry.backoff()));
    }

    private static String write(Backoff backoff) {
        return backoff.match(
                fixed -> "fixed " + fixed.delay(),
                linear -> "linear " + linear.step() + " " + linear.most(),
                exponential ->
                        "exponential " + exponential.first() + " " + exponential.most() + " " + exponential.jitter());
    }

    private static void write(Retention retention, Map<String, String> map) {
        map.put("keepDone", retention.done().toString());
        map.put("keepFailed", retention.failed().toString());
        map.put("keepExpired", retention.expired().toString());
        map.put("keepCanceled", retention.canceled().toString());
        map.put("donePayload", retention.donePayload().name());
    }

    /** A space separates orders, so spaces and percent signs in a tag are escaped. */
    private static String write(TakeOrder order) {
        return order.match(
                TakeOrder.Simple::name,
                distinct -> distinct.ties() + ":"
                        + distinct.tag().replace("%", "%25").replace(" ", "%20"));
    }

    public static QueueOptions read(String json) {
        Map<String, String> map = FlatJson.read(json);
        QueueOptions.Builder options = QueueOptions.builder();
        with(map, "priority", value -> options.priority(Integer.parseInt(value)));
        with(map, "ttl", value -> options.ttl(Duration.parse(value)));
        with(map, "ttr", value -> options.ttr(Duration.parse(value)));
        with(map, "ttrDefault", value -> options.ttrDefault(QueueOptions.TtrDefault.valueOf(value)));
        with(map, "capacity", value -> options.capacity(Integer.parseInt(value)));
        with(map, "lifetime", value -> options.lifetime(QueueOptions.Lifetime.valueOf(value)));
        with(map, "exhaustion", value -> options.exhaustion(Exhaustion.valueOf(value)));
        with(map, "placeBy", value -> options.placeBy(QueueOptions.PlaceBy.valueOf(value)));
        with(map, "typeFilter", value -> options.typeFilter(QueueOptions.TypeFilter.valueOf(value)));
        with(map, "tenants", value -> options.tenants(QueueOptions.Tenants.valueOf(value)));
        with(map, "tenantLimit", value -> options.tenantLimit(Integer.parseInt(value)));
        with(map, "number", value -> options.number(Integer.parseInt(value)));
        with(map, "takeOrders", value -> {
            for (String order : value.split(" ", -1)) {
                options.takeOrder(readOrder(order));
            }
        });
        return options.retry(readRetry(map)).retention(readRetention(map)).build();
    }

    private static void with(Map<String, String> map, String name, Consumer<String> then) {
        String value = map.get(name);
        if (value != null) {
            then.accept(value);
        }
    }

    private static RetryPolicy readRetry(Map<String, String> map) {
        RetryPolicy retry = RetryPolicy.standard();
        String backoff = map.get("backoff");
        return new RetryPolicy(
                number(map, "maxFailures", retry.maxFailures()),
                number(map, "maxLosses", retry.maxLosses()),
                RetryPolicy.Charge.valueOf(
                        map.getOrDefault("charge", retry.charge().name())),
                backoff == null ? retry.backoff() : readBackoff(backoff),
                RetryPolicy.Anchor.valueOf(
                        map.getOrDefault("anchor", retry.anchor().name())));
    }

    private static int number(Map<String, String> map, String name, int otherwise) {
        @Nullable String value = map.get(name);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    private static Backoff readBackoff(String text) {
        String[] parts = text.split(" ", -1);
        return switch (parts[0]) {
            case "fixed" -> new Backoff.Fixed(Duration.parse(parts[1]));
            case "linear" -> new Backoff.Linear(Duration.parse(parts[1]), Duration.parse(parts[2]));
            case "exponential" ->
                new Backoff.Exponential(
                        Duration.parse(parts[1]), Duration.parse(parts[2]), Double.parseDouble(parts[3]));
            default -> throw new StorageException("A queue has a backoff that this version does not know: " + text);
        };
    }

    private static Retention readRetention(Map<String, String> map) {
        Retention standard = Retention.standard();
        return new Retention(
                duration(map, "keepDone", standard.done()),
                duration(map, "keepFailed", standard.failed()),
                duration(map, "keepExpired", standard.expired()),
                duration(map, "keepCanceled", standard.canceled()),
                Retention.DonePayload.valueOf(
                        map.getOrDefault("donePayload", standard.donePayload().name())));
    }

    private static Duration duration(Map<String, String> map, String name, Duration otherwise) {
        @Nullable String value = map.get(name);
        return value == null ? otherwise : Duration.parse(value);
    }

    private static TakeOrder readOrder(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return TakeOrder.Simple.valueOf(text);
        }
        String tag = text.substring(colon + 1).replace("%20", " ").replace("%25", "%");
        return new TakeOrder.PreferDistinct(tag, TakeOrder.Simple.valueOf(text.substring(0, colon)));
    }
}
