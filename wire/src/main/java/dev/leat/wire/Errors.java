package dev.leat.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.ErrorCode;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.json.JsonFields;
import java.util.Optional;

/** Refusals: what was thrown at one end is thrown at the other. */
public final class Errors {
    /** The code of a mistake that is no refusal. */
    public static final String INTERNAL = "internal";

    private Errors() {}

    public static ObjectNode of(Throwable error) {
        Optional<ErrorCode> refusal = ErrorCode.of(error);
        ObjectNode map = Cbor.map().put("code", refusal.map(ErrorCode::code).orElse(INTERNAL));
        if (error instanceof InvalidRequestException invalid) {
            if (!invalid.advice().isEmpty()) {
                map.put("javaAdvice", invalid.advice());
            }
            return map.put("field", invalid.field()).put("detail", invalid.problem());
        }
        return map.put(
                "detail",
                refusal.isPresent() && error instanceof LeatException leat
                        ? leat.withoutAdvice()
                        : "The server made a mistake; its log says which");
    }

    public static LeatException error(JsonNode described) {
        JsonFields fields = JsonFields.of("error", described);
        String code = Values.text(fields, "code");
        String detail = Values.text(fields, "detail");
        Optional<String> field = fields.text("field");
        if (field.isPresent()) {
            return fields.text("javaAdvice")
                    .map(advice -> new InvalidRequestException(field.get(), detail, advice))
                    .orElseGet(() -> new InvalidRequestException(field.get(), detail));
        }
        return ErrorCode.of(code).map(refusal -> refusal.told(detail)).orElseGet(() -> new LeatException(detail));
    }
}
