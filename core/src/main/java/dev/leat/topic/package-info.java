/** Subscriptions to topics and their webhooks. Values only. */
@NullMarked
package dev.leat.topic;

import org.jspecify.annotations.NullMarked;
