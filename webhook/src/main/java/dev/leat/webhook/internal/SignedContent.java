package dev.leat.webhook.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** The signed text: {@code id.timestamp.body}. */
public final class SignedContent {
    private SignedContent() {}

    public static byte[] of(String id, long timestamp, byte[] body) {
        byte[] head = (id + "." + timestamp + ".").getBytes(UTF_8);
        byte[] content = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, content, head.length, body.length);
        return content;
    }
}
