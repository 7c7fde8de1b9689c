/**
 * Traces from the put of a task to its run: {@link dev.leat.opentelemetry.TaskTracing} is given to a {@link dev.leat.Leat} and its
 * workers. The page {@code docs/tracing.md} tells how.
 */
@NullMarked
package dev.leat.opentelemetry;

import org.jspecify.annotations.NullMarked;
