package dev.leat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.leat.error.InvalidRequestException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a task and their content type. Leat never reads the bytes.
 *
 * <p>The array is not copied, so callers must not change it.
 */
public final class Payload {
    /** The largest payload a put accepts: 16 MiB. Keep larger data in an object store. */
    public static final int MAX_BYTES = 16 * 1024 * 1024;

    public static final String TEXT = "text/plain; charset=utf-8";
    public static final String BINARY = "application/octet-stream";
    public static final String JSON = "application/json";

    private static final Payload EMPTY = new Payload(new byte[0], BINARY);

    private final byte[] bytes;
    private final String contentType;

    private Payload(byte[] bytes, String contentType) {
        this.bytes = bytes;
        this.contentType = contentType;
    }

    public static Payload of(byte[] bytes, String contentType) {
        if (contentType.isBlank()) {
            throw new InvalidRequestException("contentType", "must not be blank");
        }
        return new Payload(bytes, contentType);
    }

    public static Payload of(byte[] bytes) {
        return new Payload(bytes, BINARY);
    }

    public static Payload of(String text) {
        return new Payload(text.getBytes(UTF_8), TEXT);
    }

    public static Payload empty() {
        return EMPTY;
    }

    public byte[] bytes() {
        return bytes;
    }

    public String contentType() {
        return contentType;
    }

    public int size() {
        return bytes.length;
    }

    /** The bytes read as UTF-8. */
    public String text() {
        return new String(bytes, UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Payload that
                && contentType.equals(that.contentType)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(bytes) + contentType.hashCode();
    }

    @Override
    public String toString() {
        return "Payload[" + bytes.length + " bytes, " + contentType + "]";
    }
}
