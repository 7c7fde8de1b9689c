package dev.leat.server.internal.access;

import dev.leat.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What is kept of a token. It is a plain SHA-256, without salt and not made slow: those protect passwords, which can be guessed. A
 * token is 256 random bits, and nobody can try enough of them.
 */
public final class TokenHash {
    private static final int BYTES = 32;

    private final byte[] bytes;

    private TokenHash(byte[] bytes) {
        this.bytes = bytes;
    }

    public static TokenHash of(String token) {
        try {
            return new TokenHash(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Reads what {@link #text} wrote. */
    public static TokenHash parse(String text) {
        try {
            byte[] bytes = HexFormat.of().parseHex(text);
            if (bytes.length == BYTES) {
                return new TokenHash(bytes);
            }
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("hash", "must be " + 2 * BYTES + " hexadecimal digits", e);
        }
        throw new InvalidRequestException("hash", "must be " + 2 * BYTES + " hexadecimal digits");
    }

    public String text() {
        return HexFormat.of().formatHex(bytes);
    }

    /** Takes as long for a hash that is nearly right as for one that is all wrong. */
    boolean matches(TokenHash other) {
        return MessageDigest.isEqual(bytes, other.bytes);
    }
}
