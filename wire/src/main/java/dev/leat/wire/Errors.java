package dev.leat.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.leat.error.ErrorCode;
import dev.leat.error.InvalidRequestException;
import dev.leat.error.LeatException;
import dev.leat.json.JsonFields;
import java.util.Optional;

/** Errors: an exception of the server is thrown again at the client. */
public final class Errors {
    /** The code of an unexpected exception. */
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
                        : "The server failed; its log has the exception");
    }

    public static LeatException error(JsonNode described) {
        JsonFields fields = JsonFields.of("error", described);
        String code = WireValues.text(fields, "code");
        String detail = WireValues.text(fields, "detail");
        Optional<String> field = fields.text("field");
        if (field.isPresent()) {
            return fields.text("javaAdvice")
                    .map(advice -> new InvalidRequestException(field.get(), detail, advice))
                    .orElseGet(() -> new InvalidRequestException(field.get(), detail));
        }
        return ErrorCode.of(code).map(refusal -> refusal.told(detail)).orElseGet(() -> new LeatException(detail));
    }
}
