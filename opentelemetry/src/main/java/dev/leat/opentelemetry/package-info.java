/**
 * Traces from the put of a task to its run: {@link dev.leat.opentelemetry.TaskTracing} is given to a {@link dev.leat.Leat} and its
 * workers. See {@code docs/tracing.md}.
 */
@NullMarked
package dev.leat.opentelemetry;

import org.jspecify.annotations.NullMarked;
