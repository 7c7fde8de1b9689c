package dev.leat.webhook.internal;

import dev.leat.error.InvalidRequestException;

/** Signs outgoing messages. */
public sealed interface SigningKey permits HmacKey, Ed25519PrivateKey {
    /** Stands before each of its signatures. */
    String scheme();

    byte[] sign(byte[] content);

    /** @throws InvalidRequestException for field {@code secrets}; it does not show the key */
    static SigningKey parse(String text) {
        if (text.startsWith(HmacKey.PREFIX)) {
            return HmacKey.parse("secrets", text);
        }
        if (text.startsWith(Ed25519PrivateKey.PREFIX)) {
            return Ed25519PrivateKey.parse(text);
        }
        throw new InvalidRequestException("secrets", "must start with whsec_ (HMAC) or whsk_ (ed25519)");
    }
}
