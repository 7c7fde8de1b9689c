/**
 * What a delivery goes through, in this order:
 *
 * <pre>
 *   Gate ──may pass──► CheckedNames ──addresses──► HttpExchange ──► Answer
 * </pre>
 *
 * <ul>
 *   <li>{@link dev.leat.webhook.internal.DeliveryGate} holds back what would go to a receiver that fails or is busy;
 *   <li>{@link dev.leat.webhook.internal.CheckedNames} resolves the host once, and refuses addresses inside our networks;
 *   <li>{@link dev.leat.webhook.internal.HttpExchange} connects to one of these addresses and to nothing else.
 * </ul>
 *
 * {@link dev.leat.webhook.internal.Target} is a URL that has been looked at; keys sign and verify.
 */
@NullMarked
package dev.leat.webhook.internal;

import org.jspecify.annotations.NullMarked;
