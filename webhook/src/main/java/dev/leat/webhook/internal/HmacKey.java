package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** {@code v1}: HMAC-SHA256 with a secret that both sides know. */
final class HmacKey implements SigningKey, VerifyingKey {
    static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int FEWEST_BYTES = 24;
    private static final int MOST_BYTES = 64;

    private final SecretKeySpec key;

    private HmacKey(byte[] bytes) {
        this.key = new SecretKeySpec(bytes, ALGORITHM);
    }

    static HmacKey parse(String field, String text) {
        byte[] bytes = KeyText.bytes(field, PREFIX, text);
        if (bytes.length < FEWEST_BYTES || bytes.length > MOST_BYTES) {
            throw new InvalidRequestException(
                    field, "must have " + FEWEST_BYTES + " to " + MOST_BYTES + " bytes, had " + bytes.length);
        }
        return new HmacKey(bytes);
    }

    @Override
    public String scheme() {
        return "v1";
    }

    @Override
    public byte[] sign(byte[] content) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }

    /** Takes as long for a wrong first byte as for a wrong last one: otherwise a forger could guess byte by byte. */
    @Override
    public boolean verifies(byte[] content, byte[] signature) {
        return MessageDigest.isEqual(sign(content), signature);
    }
}
