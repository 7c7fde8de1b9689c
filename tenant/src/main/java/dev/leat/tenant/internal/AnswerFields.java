package dev.leat.tenant.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.leat.error.InvalidRequestException;
import dev.leat.json.JsonFields;
import dev.leat.tenant.TenantException;
import java.util.Locale;
import java.util.Optional;

/**
 * The fields of a service's JSON answer. Errors name the field and the kind of its value, never the
 * value, unlike {@link JsonFields}: here it may be a password. Unknown fields are ignored, because the
 * service belongs to the user.
 */
public final class AnswerFields {
    private static final int MOST_DIGITS = 9;

    private final String from;
    private final JsonFields fields;

    private AnswerFields(String from, JsonFields fields) {
        this.from = from;
        this.fields = fields;
    }

    /** @param from the service, for messages */
    public static AnswerFields parse(String from, byte[] json) {
        JsonNode answer;
        try {
            answer = JsonFields.parse("answer", json);
        } catch (InvalidRequestException e) {
            // Not as the cause: the parser quotes the text that it cannot parse.
            throw new TenantException(from + " answered what is not valid JSON");
        }
        if (!answer.isObject()) {
            throw new TenantException(from + " answered " + kind(answer) + " instead of a JSON object");
        }
        return new AnswerFields(from, JsonFields.of("answer", answer));
    }

    public Optional<String> text(String field) {
        return get(field).map(value -> {
            if (!value.isTextual()) {
                throw wrong(field, "must be a string, was " + kind(value));
            }
            return value.textValue();
        });
    }

    public String needed(String field) {
        return text(field).orElseThrow(() -> missing(field));
    }

    /** A whole number that is not negative; some services write them as text. */
    public Optional<Long> number(String field) {
        return get(field).map(value -> {
            String digits = value.isTextual() || value.isIntegralNumber() ? value.asText() : "";
            if (digits.isEmpty()
                    || digits.length() > MOST_DIGITS
                    || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
                throw wrong(field, "must be a whole number of at most " + MOST_DIGITS + " digits");
            }
            return Long.valueOf(digits);
        });
    }

    private Optional<JsonNode> get(String field) {
        return fields.any(field).filter(value -> !value.isNull());
    }

    public TenantException missing(String field) {
        return wrong(field, "is missing");
    }

    public TenantException wrong(String field, String problem) {
        return new TenantException(from + " answered with a field " + field + " that " + problem);
    }

    private static String kind(JsonNode value) {
        return "JSON of the kind " + value.getNodeType().name().toLowerCase(Locale.ROOT);
    }
}
