/**
 * Real database servers for tests and benchmarks: {@link dev.leat.storagetests.server.PostgresServer} and
 * {@link dev.leat.storagetests.server.MariaDbServer}, each a child process with a folder and a port of its own, and
 * {@link dev.leat.storagetests.server.PgBouncer} to put before one of them.
 *
 * <p>They need what leat-storage-tests declares as optional: the JDBC driver, and leat-postgres-binaries for PostgreSQL.
 */
@NullMarked
package dev.leat.storagetests.server;

import org.jspecify.annotations.NullMarked;
