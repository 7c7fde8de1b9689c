/**
 * Real database servers for tests and benchmarks: {@link dev.leat.testkit.server.PostgresServer} and
 * {@link dev.leat.testkit.server.MariaDbServer}, each a child process with a folder and a port of its own, and
 * {@link dev.leat.testkit.server.PgBouncer} to put before one of them.
 *
 * <p>They need what leat-testkit declares as optional: the JDBC driver, and leat-postgres-binaries for PostgreSQL.
 */
@NullMarked
package dev.leat.testkit.server;

import org.jspecify.annotations.NullMarked;
