package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;

/** Verifies signatures. */
public sealed interface VerifyingKey permits HmacKey, Ed25519PublicKey {
    /** Stands before the signatures that it can judge. */
    String scheme();

    boolean verifies(byte[] content, byte[] signature);

    /** @throws InvalidRequestException for field {@code keys}; it does not show the key */
    static VerifyingKey parse(String text) {
        if (text.startsWith(HmacKey.PREFIX)) {
            return HmacKey.parse("keys", text);
        }
        if (text.startsWith(Ed25519PublicKey.PREFIX)) {
            return Ed25519PublicKey.parse(text);
        }
        throw new InvalidRequestException("keys", "must start with whsec_ (HMAC) or whpk_ (ed25519)");
    }
}
