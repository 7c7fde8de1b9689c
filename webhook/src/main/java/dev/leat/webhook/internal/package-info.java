/**
 * A delivery passes these classes in this order:
 *
 * <pre>
 *   Gate ──may pass──► CheckedNames ──addresses──► HttpExchange ──► Answer
 * </pre>
 *
 * <ul>
 *   <li>{@link dev.leat.webhook.internal.DeliveryGate} holds back deliveries to a failing or busy receiver;
 *   <li>{@link dev.leat.webhook.internal.CheckedNames} resolves the host once, and refuses addresses inside our networks;
 *   <li>{@link dev.leat.webhook.internal.HttpExchange} connects to one of these addresses and to nothing else.
 * </ul>
 *
 * {@link dev.leat.webhook.internal.Target} is a URL that has been looked at; keys sign and verify.
 */
@NullMarked
package dev.leat.webhook.internal;

import org.jspecify.annotations.NullMarked;
