package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/** {@code v1a}: ed25519, the public half. */
final class Ed25519PublicKey implements VerifyingKey {
    static final String PREFIX = "whpk_";
    private static final String ALGORITHM = "Ed25519";
    private static final int BYTES = 32;
    /** The X.509 prefix of such a key (RFC 8410). The JDK reads keys only in this form. */
    private static final String X509 = "302a300506032b6570032100";

    private final PublicKey key;

    private Ed25519PublicKey(PublicKey key) {
        this.key = key;
    }

    static Ed25519PublicKey parse(String text) {
        byte[] bytes = KeyText.bytes("keys", PREFIX, text);
        if (bytes.length != BYTES) {
            throw new InvalidRequestException("keys", "must have " + BYTES + " bytes, had " + bytes.length);
        }
        HexFormat hex = HexFormat.of();
        try {
            return new Ed25519PublicKey(KeyFactory.getInstance(ALGORITHM)
                    .generatePublic(new X509EncodedKeySpec(hex.parseHex(X509 + hex.formatHex(bytes)))));
        } catch (GeneralSecurityException e) {
            throw new InvalidRequestException("keys", "is no public key of ed25519", e);
        }
    }

    @Override
    public String scheme() {
        return "v1a";
    }

    @Override
    public boolean verifies(byte[] content, byte[] signature) {
        try {
            Signature verifier = Signature.getInstance(ALGORITHM);
            verifier.initVerify(key);
            verifier.update(content);
            return verifier.verify(signature);
        } catch (SignatureException e) {
            return false; // not of the right length, or no point of the curve
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }
}
