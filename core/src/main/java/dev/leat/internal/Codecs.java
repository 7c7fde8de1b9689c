package dev.leat.internal;

import dev.leat.Codec;
import dev.leat.Payload;
import dev.leat.error.PayloadException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Writes values as payloads and reads them: text and bytes as they are, other values with a codec. */
public final class Codecs {
    private final List<Codec> codecs;

    /** The codecs of the caller, then those on the class path. */
    public Codecs(List<Codec> given) {
        List<Codec> all = new ArrayList<>(given);
        ServiceLoader.load(Codec.class).forEach(all::add);
        this.codecs = List.copyOf(all);
    }

    public Payload encode(Object value) {
        if (value instanceof Payload payload) {
            return payload;
        }
        if (value instanceof String text) {
            return Payload.of(text);
        }
        if (value instanceof byte[] bytes) {
            return Payload.of(bytes);
        }
        for (Codec codec : codecs) {
            if (codec.writes(value.getClass())) {
                return codec.encode(value);
            }
        }
        throw new PayloadException("No codec writes " + value.getClass().getName()
                + ". Add leat-json to the class path, or put a String, a byte[] or a Payload.");
    }

    public <T> T decode(Payload payload, Class<T> type) {
        if (type == Payload.class) {
            return type.cast(payload);
        }
        if (type == String.class) {
            return type.cast(payload.text());
        }
        if (type == byte[].class) {
            return type.cast(payload.bytes());
        }
        for (Codec codec : codecs) {
            if (codec.reads(payload.contentType())) {
                return codec.decode(payload, type);
            }
        }
        throw new PayloadException(
                "No codec reads '" + payload.contentType() + "' as " + type.getName() + ". JSON needs leat-json.");
    }
}
