package dev.leat.webhook;

import dev.leat.Payload;
import java.time.Duration;

/**
 * A message that was received.
 *
 * @param status 200 to 299
 * @param answer the body of the answer, up to the sender's limit; not decompressed
 * @param shown its first 500 characters, for messages: without control characters
 * @param truncated whether the answer went on, or broke off
 * @param took from the lookup of the host to the end of the answer
 */
public record Delivery(int status, Payload answer, String shown, boolean truncated, Duration took) {}
