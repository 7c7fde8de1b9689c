/**
 * The parts of the server. {@code Http} connects Vert.x to the routes of {@code rest}, and runs every call on
 * {@code limits.StorageThreads}, because a storage call blocks and an event loop must not. {@code access} finds the grant of a
 * request's token and writes the audit log. {@code consume} serves the WebSocket, {@code events} streams task changes, and
 * {@code metrics} has the metrics for Prometheus. {@code PeriodicJobs} renews {@code Certificate}s and closes the connections that
 * {@code limits.ConnectionLimits} finds too slow.
 */
@NullMarked
package dev.leat.server.internal;

import org.jspecify.annotations.NullMarked;
