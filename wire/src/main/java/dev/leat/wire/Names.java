package dev.leat.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.leat.json.JsonFields;

/** Names of enum values in arrays. */
final class Names {
    private Names() {}

    static JsonNode of(Enum<?> value) {
        return JsonNodeFactory.instance.textNode(WireValues.name(value));
    }

    static <E extends Enum<E>> E read(String field, JsonNode value, Class<E> type) {
        return WireValues.oneOf(JsonFields.of(field, Cbor.map().set(field, value)), field, type);
    }
}
