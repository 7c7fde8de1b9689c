/**
 * How the server works. {@code Http} stands between Vert.x and the routes of {@code rest}: it runs every call on
 * {@code limits.StorageThreads}, because storage calls block and an event loop must not. {@code access} finds the grant of a
 * request's token and writes the audit log, {@code consume} serves the WebSocket, {@code events} streams task changes, and
 * {@code metrics} has the figures for Prometheus. {@code PeriodicJobs} renews {@code Certificate}s and closes connections that
 * {@code limits.ConnectionLimits} finds too slow.
 */
@NullMarked
package dev.leat.server.internal;

import org.jspecify.annotations.NullMarked;
