/** The options of a queue, such as retries, retention and take orders, and its statistics. Values only. */
@NullMarked
package dev.leat.queue;

import org.jspecify.annotations.NullMarked;
