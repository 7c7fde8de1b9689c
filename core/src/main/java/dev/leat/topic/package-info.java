/** Subscriptions to topics, and the webhooks that may belong to them. Values only. */
@NullMarked
package dev.leat.topic;

import org.jspecify.annotations.NullMarked;
