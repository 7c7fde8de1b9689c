package dev.leat.server.internal.access;

import dev.leat.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The stored hash of a token: a plain SHA-256 without salt or stretching. Salt and stretching protect guessable passwords; a token is
 * 256 random bits, which no attacker can guess.
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

    /** Compares in constant time. */
    boolean matches(TokenHash other) {
        return MessageDigest.isEqual(bytes, other.bytes);
    }
}
