/**
 * How the processes that share a database notify each other of changes.
 *
 * <p>{@link dev.leat.sql.internal.peers.Peers} sends notices after a commit and receives those of other processes:
 *
 * <ul>
 *   <li>PostgreSQL sends by NOTIFY and receives by LISTEN.
 *   <li>PostgreSQL behind a pooler sends by NOTIFY, but polls, because a pooler does not pass notifications on.
 *   <li>SQLite and MariaDB send nothing, and poll.
 *   <li>With {@code signals=} in the URL, a Leat server carries notices as well.
 * </ul>
 */
@NullMarked
package dev.leat.sql.internal.peers;

import org.jspecify.annotations.NullMarked;
