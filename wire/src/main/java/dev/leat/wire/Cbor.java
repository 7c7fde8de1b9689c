package dev.leat.wire;

import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SequenceWriter;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.leat.error.InvalidRequestException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Messages as bytes: a sequence of one or more CBOR maps. */
public final class Cbor {
    private static final int DEEPEST = 100;

    private static final CBORMapper MAPPER = CBORMapper.builder(CBORFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .build())
                    // An unpaired surrogate must not prevent an answer.
                    .enable(CBORGenerator.Feature.LENIENT_UTF_ENCODING)
                    .build())
            .build();
    private static final ObjectReader READER = MAPPER.readerFor(JsonNode.class)
            .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final ObjectWriter WRITER = MAPPER.writer();

    private Cbor() {}

    public static ObjectNode map() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static byte[] write(List<? extends JsonNode> maps) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (SequenceWriter writer = WRITER.writeValues(bytes)) {
            for (JsonNode map : maps) {
                writer.write(map);
            }
        } catch (IOException e) {
            throw new IllegalStateException("Could not write a message as CBOR", e);
        }
        return bytes.toByteArray();
    }

    /** Reads the maps of a message; an exception says what is wrong. */
    public static List<JsonNode> read(byte[] message) {
        List<JsonNode> maps = new ArrayList<>();
        try (MappingIterator<JsonNode> values = READER.readValues(message)) {
            while (values.hasNextValue()) {
                JsonNode value = values.nextValue();
                if (!value.isObject()) {
                    throw new InvalidRequestException("message", "must be CBOR maps, one behind the other");
                }
                maps.add(value);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidRequestException("message", "is not valid CBOR: " + e.getMessage(), e);
        }
        return maps;
    }
}
