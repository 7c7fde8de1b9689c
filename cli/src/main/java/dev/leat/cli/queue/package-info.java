/** Commands about queues, their statistics, schedules and subscriptions. */
@NullMarked
package dev.leat.cli.queue;

import org.jspecify.annotations.NullMarked;
