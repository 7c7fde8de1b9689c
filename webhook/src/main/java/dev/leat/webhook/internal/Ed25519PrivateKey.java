package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;

/** {@code v1a}: ed25519 with a key that only the sender has. */
final class Ed25519PrivateKey implements SigningKey {
    static final String PREFIX = "whsk_";
    private static final String ALGORITHM = "Ed25519";
    private static final int SEED_BYTES = 32;
    /** Some libraries write the public key behind the seed. */
    private static final int PAIR_BYTES = 64;

    private final PrivateKey key;

    private Ed25519PrivateKey(PrivateKey key) {
        this.key = key;
    }

    static Ed25519PrivateKey parse(String text) {
        byte[] bytes = KeyText.bytes("secrets", PREFIX, text);
        if (bytes.length != SEED_BYTES && bytes.length != PAIR_BYTES) {
            throw new InvalidRequestException(
                    "secrets", "must have " + SEED_BYTES + " or " + PAIR_BYTES + " bytes, had " + bytes.length);
        }
        try {
            byte[] seed = Arrays.copyOf(bytes, SEED_BYTES);
            return new Ed25519PrivateKey(KeyFactory.getInstance(ALGORITHM)
                    .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }

    @Override
    public String scheme() {
        return "v1a";
    }

    @Override
    public byte[] sign(byte[] content) {
        try {
            Signature signature = Signature.getInstance(ALGORITHM);
            signature.initSign(key);
            signature.update(content);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }
}
