package dev.leat;

import dev.leat.error.PayloadException;

/**
 * Writes objects as payloads and reads them back. Leat finds codecs by {@link java.util.ServiceLoader}, or gets them from {@link Leat.Builder#codec}.
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

    /** Reads a value, or throws {@link PayloadException}, which names the fault of the payload. */
    <T> T decode(Payload payload, Class<T> type);
}
