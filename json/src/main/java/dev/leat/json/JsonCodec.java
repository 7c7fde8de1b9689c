package dev.leat.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.leat.Codec;
import dev.leat.Payload;
import dev.leat.error.PayloadException;
import java.io.IOException;

/**
 * Writes any object as JSON, and reads JSON as any class that Jackson can create.
 *
 * <p>Unknown fields are ignored, so that a newer producer does not break an older worker. Times are ISO 8601 text.
 */
public final class JsonCodec implements Codec {
    private final ObjectMapper mapper;

    /** For the service loader. */
    public JsonCodec() {
        this(JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .build());
    }

    /** A codec with a mapper of the application, for {@link dev.leat.Leat.Builder#codec}. */
    public JsonCodec(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public boolean writes(Class<?> type) {
        return true;
    }

    @Override
    public boolean reads(String contentType) {
        return ContentTypes.isJson(contentType);
    }

    @Override
    public Payload encode(Object value) {
        try {
            return Payload.of(mapper.writeValueAsBytes(value), Payload.JSON);
        } catch (JsonProcessingException e) {
            throw new PayloadException(
                    "Cannot write " + value.getClass().getName() + " as JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public <T> T decode(Payload payload, Class<T> type) {
        T value;
        try {
            value = mapper.readValue(payload.bytes(), type);
        } catch (JsonProcessingException e) {
            throw new PayloadException(
                    "Cannot read the payload as " + type.getName() + ": " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new PayloadException("Cannot read the payload as " + type.getName() + ": " + e.getMessage(), e);
        }
        if (value == null) {
            throw new PayloadException("Cannot read the payload as " + type.getName() + ": it is null");
        }
        return value;
    }
}
