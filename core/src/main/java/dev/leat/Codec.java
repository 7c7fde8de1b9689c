package dev.leat;

import dev.leat.error.PayloadException;

/**
 * Turns objects into payloads and back. Found by {@link java.util.ServiceLoader}, or given to {@link Leat.Builder}.
 *
 * <p>Text and bytes need no codec. Implementations are safe for use by many threads.
 */
public interface Codec {
    /** Whether this codec writes objects of the class. */
    boolean writes(Class<?> type);

    /** Whether this codec reads payloads of the content type. */
    boolean reads(String contentType);

    /** Writes {@code value}, or throws {@link PayloadException}. */
    Payload encode(Object value);

    /** Reads a value, or throws {@link PayloadException} that says what is wrong with the payload. */
    <T> T decode(Payload payload, Class<T> type);
}
