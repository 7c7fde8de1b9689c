package dev.leat.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.BinaryNode;
import dev.leat.Payload;
import dev.leat.error.InvalidRequestException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a JSON object strictly: an error names a field of the wrong kind, and {@link #end} names a field that was not read.
 * A null field counts as missing. Used by one thread.
 */
public final class JsonFields {
    /** The limit for reading: an answer nests the accepted JSON some levels deeper, and can have 1,000 levels. */
    private static final int DEEPEST = 500;
    /** The length of the largest payload in base64. */
    private static final int LONGEST_STRING = Payload.MAX_BYTES / 3 * 4 + 4;

    private static final int MOST_DIGITS = 30;
    /** Stands for a value with secrets in messages. */
    private static final String SECRET = "something else";

    private static final int NANO_DIGITS = 9;

    /** Keeps numbers as written: 1.50 stays 1.50. */
    static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .maxStringLength(LONGEST_STRING)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** Refuses duplicate fields in requests. Stored JSON is read without this check, because it cannot be refused. */
    private static final ObjectReader STRICT =
            MAPPER.reader().with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

    private final String what;
    private final String prefix;
    private final JsonNode object;
    /** The fields that were read so far, without missing ones. */
    private final List<String> read = new ArrayList<>();
    /** One bit for each read field by its hash. A clear bit means that the field was not read, without a search of the list. */
    private long readBits;

    /** Whether messages may quote values. */
    private final boolean quotesValues;

    private JsonFields(String what, String prefix, JsonNode object, boolean quotesValues) {
        this.what = what;
        this.prefix = prefix;
        this.object = object;
        this.quotesValues = quotesValues;
    }

    /** Reads one JSON value; an exception says where the JSON is wrong. */
    public static JsonNode parse(String field, byte[] json) {
        try {
            JsonNode value = STRICT.readTree(json);
            if (value == null || value.isMissingNode()) {
                throw new InvalidRequestException(field, "must be JSON, was empty");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw new InvalidRequestException(field, "is not valid JSON: " + e.getOriginalMessage(), e);
        } catch (IOException | NumberFormatException e) {
            throw new InvalidRequestException(field, "could not be read: " + e.getMessage(), e);
        }
    }

    /** @param what the name of the object in messages, such as "task" */
    public static JsonFields of(String what, JsonNode value) {
        if (!value.isObject()) {
            throw new InvalidRequestException(what, "must be a JSON object, was " + kind(value));
        }
        return new JsonFields(what, "", value, true);
    }

    /** A view of the same fields; reads of the view do not count for {@link #end}. */
    public JsonFields aside() {
        return new JsonFields(what, prefix, object, quotesValues);
    }

    /** Refuses fields that were not read: a typo would otherwise change the meaning. */
    public void end() {
        if (read.size() == object.size()) {
            return;
        }
        object.fieldNames().forEachRemaining(field -> {
            if (!read.contains(field)) {
                throw new InvalidRequestException(prefix + field, "is not a field of a " + what);
            }
        });
    }

    public Optional<String> text(String field) {
        return get(field).map(value -> text(prefix + field, value));
    }

    public Optional<Integer> integer(String field) {
        return get(field)
                .map(value -> value.isIntegralNumber() && value.canConvertToInt()
                        ? value.intValue()
                        : wrong(field, "a whole number of 32 bits", value));
    }

    public Optional<Long> number(String field) {
        return get(field)
                .map(value -> value.isIntegralNumber() && value.canConvertToLong()
                        ? value.longValue()
                        : wrong(field, "a whole number of 64 bits", value));
    }

    public Optional<Double> fraction(String field) {
        return get(field).map(value -> value.isNumber() ? value.doubleValue() : wrong(field, "a number", value));
    }

    public Optional<Boolean> flag(String field) {
        return get(field).map(value -> value.isBoolean() ? value.booleanValue() : wrong(field, "true or false", value));
    }

    /** Seconds as a number, or text as {@link DurationText} reads it. */
    public Optional<Duration> duration(String field) {
        return get(field)
                .map(value -> value.isTextual()
                        ? DurationText.parse(prefix + field, value.textValue())
                        : DurationText.parse(prefix + field, seconds(field, value)));
    }

    /** Accepts numbers of any length, and drops digits below a nanosecond. */
    private String seconds(String field, JsonNode value) {
        if (!value.isNumber()) {
            return wrong(field, "a duration such as 1.5 or \"2m\"", value);
        }
        BigDecimal number = value.decimalValue();
        if (number.precision() > MOST_DIGITS || Math.abs(number.scale()) > MOST_DIGITS) {
            return wrong(field, "a duration such as 1.5 or \"2m\"", value);
        }
        return number.setScale(NANO_DIGITS, RoundingMode.DOWN).toPlainString();
    }

    public Optional<Instant> instant(String field) {
        return text(field).map(text -> {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new InvalidRequestException(
                        prefix + field, "must be a time such as 2026-01-31T12:00:00Z, was '" + text + "'", e);
            }
        });
    }

    /** The enum value of that name, in upper or lower case. */
    public <E extends Enum<E>> Optional<E> oneOf(String field, Class<E> type) {
        return text(field).map(text -> {
            for (E value : type.getEnumConstants()) {
                if (value.name().equalsIgnoreCase(text)) {
                    return value;
                }
            }
            String names = String.join(
                    ", ",
                    Arrays.stream(type.getEnumConstants())
                            .map(value -> value.name().toLowerCase(Locale.ROOT))
                            .toList());
            throw new InvalidRequestException(prefix + field, "must be one of " + names + ", was '" + text + "'");
        });
    }

    public Optional<JsonFields> object(String field) {
        return object(field, quotesValues);
    }

    /** An object with secrets: messages quote neither its values nor a value in its place. */
    public Optional<JsonFields> secretObject(String field) {
        return object(field, false);
    }

    private Optional<JsonFields> object(String field, boolean quotesValues) {
        return get(field).map(value -> {
            if (!value.isObject()) {
                String was = quotesValues ? kind(value) : SECRET;
                throw new InvalidRequestException(prefix + field, "must be an object, was " + was);
            }
            return new JsonFields(what, prefix + field + ".", value, quotesValues);
        });
    }

    /** The names of all fields, for objects with free names. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    public Optional<List<String>> texts(String field) {
        return array(field).map(values -> {
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                texts.add(text(prefix + field + "[" + i + "]", values.get(i)));
            }
            return texts;
        });
    }

    public Optional<List<Long>> numbers(String field) {
        return array(field).map(values -> {
            List<Long> numbers = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                JsonNode value = values.get(i);
                if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                    return wrong(field + "[" + i + "]", "a whole number", value);
                }
                numbers.add(value.longValue());
            }
            return numbers;
        });
    }

    public Optional<List<JsonNode>> array(String field) {
        return get(field).map(value -> {
            if (!value.isArray()) {
                return wrong(field, "an array", value);
            }
            List<JsonNode> elements = new ArrayList<>();
            value.forEach(elements::add);
            return elements;
        });
    }

    /** The raw value of the field, null included. */
    public Optional<JsonNode> any(String field) {
        @Nullable JsonNode value = object.get(field);
        if (value != null) {
            long bit = 1L << field.hashCode();
            if ((readBits & bit) == 0 || !read.contains(field)) {
                read.add(field);
                readBits |= bit;
            }
        }
        return Optional.ofNullable(value);
    }

    /** A byte string, which only CBOR has. */
    public Optional<byte[]> bytes(String field) {
        return get(field).map(value -> bytes(prefix + field, value));
    }

    /** @param name the name of the value in messages */
    public static byte[] bytes(String name, JsonNode value) {
        if (value instanceof BinaryNode binary) {
            return binary.binaryValue();
        }
        throw new InvalidRequestException(name, "must be a byte string, was " + kind(value));
    }

    private Optional<JsonNode> get(String field) {
        return any(field).filter(value -> !value.isNull());
    }

    private String text(String name, JsonNode value) {
        if (!value.isTextual()) {
            throw new InvalidRequestException(name, "must be a string, was " + shown(value));
        }
        return value.textValue();
    }

    private <T> T wrong(String field, String wanted, JsonNode value) {
        throw new InvalidRequestException(prefix + field, "must be " + wanted + ", was " + shown(value));
    }

    private String shown(JsonNode value) {
        return quotesValues ? kind(value) : SECRET;
    }

    private static String kind(JsonNode value) {
        return value.isValueNode() ? value.toString() : value.isArray() ? "an array" : "an object";
    }
}
