/** How processes on one database hear of each other's changes. */
@NullMarked
package dev.leat.sql.internal.peers;

import org.jspecify.annotations.NullMarked;
