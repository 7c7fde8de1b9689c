/**
 * Permissions. {@code Access} finds the {@code Grant} of a request by its token. Each call checks the grant, which refuses with an
 * {@code AccessDeniedException}.
 */
@NullMarked
package dev.leat.server.internal.access;

import org.jspecify.annotations.NullMarked;
