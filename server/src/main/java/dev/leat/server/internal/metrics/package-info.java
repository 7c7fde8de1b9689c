/** Metrics for Prometheus. */
@NullMarked
package dev.leat.server.internal.metrics;

import org.jspecify.annotations.NullMarked;
