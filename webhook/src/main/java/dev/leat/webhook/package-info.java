/**
 * Delivers one webhook message, safely: {@link dev.leat.webhook.WebhookSender} calls an
 * {@link dev.leat.webhook.Endpoint} that a third party chose, with a {@link dev.leat.webhook.Message} that is signed as
 * <a href="https://www.standardwebhooks.com">Standard Webhooks</a> has it. {@link dev.leat.webhook.WebhookSignature} is
 * for receivers.
 *
 * <p>Trying again is not done here: a delivery that fails says whether and when to, and the queue it comes from does it.
 * The page {@code docs/webhooks.md} describes the requests and the refusals.
 */
@NullMarked
package dev.leat.webhook;

import org.jspecify.annotations.NullMarked;
