package dev.leat.webhook;

import dev.leat.error.InvalidRequestException;
import dev.leat.webhook.internal.SignedContent;
import dev.leat.webhook.internal.SigningKey;
import dev.leat.webhook.internal.VerifyingKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The signature by which a receiver verifies the sender and the time of a webhook. */
public final class WebhookSignature {
    /** The largest accepted difference between the clocks of sender and receiver. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);

    static final String ID = "webhook-id";
    static final String TIMESTAMP = "webhook-timestamp";
    static final String SIGNATURE = "webhook-signature";

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,11}");
    /** A sender has a few keys; checking thousands of signatures is work that a stranger could ask for. */
    private static final int MOST_SIGNATURES = 32;

    private WebhookSignature() {}

    static String sign(List<SigningKey> keys, String id, long timestamp, byte[] body) {
        byte[] content = SignedContent.of(id, timestamp, body);
        return keys.stream()
                .map(key -> key.scheme() + "," + Base64.getEncoder().encodeToString(key.sign(content)))
                .collect(Collectors.joining(" "));
    }

    /**
     * Returns when one of the signatures is right and not older, or newer, than five minutes.
     *
     * @param keys {@code whsec_…} or {@code whpk_…}; several while they change
     * @param headers returns the value of a header, or null: {@code request::getHeader}
     * @param body the received bytes, unparsed
     * @throws InvalidSignatureException when it must not be trusted
     * @throws InvalidRequestException when a key is not one
     */
    public static void verify(List<String> keys, Function<String, @Nullable String> headers, byte[] body) {
        verify(keys, headers, body, Instant.now());
    }

    /** As above, at a moment of the caller's choice. */
    public static void verify(List<String> keys, Function<String, @Nullable String> headers, byte[] body, Instant now) {
        List<VerifyingKey> verifying = keys.stream().map(VerifyingKey::parse).toList();
        String id = header(headers, ID);
        long timestamp = timestamp(header(headers, TIMESTAMP), now);
        byte[] content = SignedContent.of(id, timestamp, body);
        for (Given given : given(header(headers, SIGNATURE))) {
            for (VerifyingKey key : verifying) {
                if (key.scheme().equals(given.scheme()) && key.verifies(content, given.signature())) {
                    return;
                }
            }
        }
        throw new InvalidSignatureException("No signature in " + SIGNATURE + " is right.");
    }

    private static String header(Function<String, @Nullable String> headers, String name) {
        String value = headers.apply(name);
        if (value == null || value.isBlank()) {
            throw new InvalidSignatureException("The header " + name + " is missing.");
        }
        return value;
    }

    private static long timestamp(String text, Instant now) {
        if (!SECONDS.matcher(text).matches()) {
            throw new InvalidSignatureException("The header " + TIMESTAMP + " is not a number of seconds.");
        }
        long timestamp = Long.parseLong(text);
        Duration apart = Duration.between(Instant.ofEpochSecond(timestamp), now).abs();
        if (apart.compareTo(TOLERANCE) > 0) {
            throw new InvalidSignatureException("The header " + TIMESTAMP + " is " + apart.toSeconds()
                    + " s away from now; at most " + TOLERANCE.toSeconds() + " are accepted.");
        }
        return timestamp;
    }

    /** One signature of a header. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them as records
    private record Given(String scheme, byte[] signature) {}

    private static List<Given> given(String header) {
        List<Given> given = new ArrayList<>();
        String[] parts = header.split(" ", MOST_SIGNATURES + 1);
        for (int i = 0; i < Math.min(parts.length, MOST_SIGNATURES); i++) {
            int comma = parts[i].indexOf(',');
            if (comma > 0) {
                try {
                    byte[] signature = Base64.getDecoder().decode(parts[i].substring(comma + 1));
                    given.add(new Given(parts[i].substring(0, comma), signature));
                } catch (IllegalArgumentException e) {
                    // Not base64: as wrong as any other signature, and a later one may be right.
                }
            }
        }
        return given;
    }
}
