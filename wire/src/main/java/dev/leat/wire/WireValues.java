package dev.leat.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.Lease;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Simple values in the form that all messages share. */
public final class WireValues {
    private static final int LEASE_BYTES = 2 * Long.BYTES;
    private static final long MICROS = 1_000_000;
    private static final Map<Enum<?>, String> NAMES = new ConcurrentHashMap<>();

    private WireValues() {}

    // Writing

    /** Rounds up: a task must not become due too early. */
    static long micros(Instant time) {
        return Math.addExact(Math.multiplyExact(time.getEpochSecond(), MICROS), (time.getNano() + 999) / 1_000);
    }

    /** Exact to the microsecond for more than a hundred years. A positive duration never becomes zero. */
    static double seconds(Duration duration) {
        return (double) (duration.getSeconds() * MICROS + (duration.getNano() + 999) / 1_000) / MICROS;
    }

    public static JsonNode of(Duration duration) {
        return JsonNodeFactory.instance.numberNode(seconds(duration));
    }

    public static JsonNode of(Instant time) {
        return JsonNodeFactory.instance.numberNode(micros(time));
    }

    static String name(Enum<?> value) {
        return NAMES.computeIfAbsent(value, each -> each.name().toLowerCase(Locale.ROOT));
    }

    static void putTime(ObjectNode map, String field, Optional<Instant> time) {
        time.ifPresent(value -> map.put(field, micros(value)));
    }

    static void putDuration(ObjectNode map, String field, Optional<Duration> duration) {
        duration.ifPresent(value -> map.put(field, seconds(value)));
    }

    static void putText(ObjectNode map, String field, Optional<String> text) {
        text.ifPresent(value -> map.put(field, value));
    }

    public static <T> ArrayNode list(Iterable<T> values, Function<T, ? extends JsonNode> one) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        values.forEach(value -> array.add(one.apply(value)));
        return array;
    }

    public static JsonNode of(Lease lease) {
        return JsonNodeFactory.instance.binaryNode(ByteBuffer.allocate(LEASE_BYTES)
                .putLong(lease.taskId())
                .putLong(lease.nonce())
                .array());
    }

    /** Writes an empty value as null. */
    public static <T> JsonNode orNull(Optional<T> value, Function<T, ? extends JsonNode> one) {
        return value.isPresent() ? one.apply(value.get()) : JsonNodeFactory.instance.nullNode();
    }

    // Reading

    public static Lease lease(JsonFields fields) {
        byte[] bytes = need("lease", fields.bytes("lease"));
        return lease(bytes);
    }

    public static Lease lease(JsonNode value) {
        return lease(JsonFields.bytes("lease", value));
    }

    private static Lease lease(byte[] bytes) {
        if (bytes.length != LEASE_BYTES) {
            throw new InvalidRequestException("lease", "must have " + LEASE_BYTES + " bytes, had " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return Lease.of(buffer.getLong(), buffer.getLong());
    }

    static Optional<Instant> time(JsonFields fields, String field) {
        return fields.number(field).map(WireValues::instant);
    }

    /** @param micros since 1970 */
    public static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** The value of a required field. */
    public static <T> T need(String field, Optional<T> value) {
        return value.orElseThrow(() -> new InvalidRequestException(field, "is missing"));
    }

    public static String text(JsonFields fields, String field) {
        return need(field, fields.text(field));
    }

    static <E extends Enum<E>> E oneOf(JsonFields fields, String field, Class<E> type) {
        return need(field, fields.oneOf(field, type));
    }

    /** Reads the elements of an array by {@code one}; an error names the element. */
    public static <T> List<T> list(JsonFields fields, String field, Function<JsonNode, T> one) {
        return list(field, need(field, fields.array(field)), one);
    }

    /** @param what the name of the array, for messages */
    public static <T> List<T> list(String what, Iterable<JsonNode> elements, Function<JsonNode, T> one) {
        List<T> values = new ArrayList<>();
        for (JsonNode element : elements) {
            try {
                values.add(one.apply(element));
            } catch (InvalidRequestException e) {
                throw new InvalidRequestException(what + "[" + values.size() + "]." + e.field(), e.problem(), e);
            }
        }
        return values;
    }
}
