/**
 * How the server works. {@code Api} is the table of routes; each names a method of {@code QueueRoutes}, {@code TaskRoutes} or
 * {@code SessionRoutes}, which gets a {@code Call} and answers a {@code Reply}. {@code Http} stands between them and Vert.x: it runs
 * every call on {@code StorageThreads}, because storage calls block and an event loop must not, and turns exceptions into
 * {@code Problem}s. Before a call is run, {@code Gate} asks the grant of its token whether it may be; {@code AuditLog} writes down
 * what operators do. {@code Connections} and {@code Certificate} look after what is below HTTP, on the thread of {@code Rounds}.
 * {@code Problem}s. {@code EventStreams} tells task changes to those who listen, {@code Metrics} and {@code StorageMeter} have the
 * figures for Prometheus, and {@code OpenApi} describes all of it.
 */
@NullMarked
package dev.leat.server.internal;

import org.jspecify.annotations.NullMarked;
