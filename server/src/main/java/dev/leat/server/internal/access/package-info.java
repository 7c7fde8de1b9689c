/**
 * Who may do what. {@code Access} finds the {@code Grant} of a request by its token; a call asks the grant whether it may be made,
 * and is refused with an {@code AccessDeniedException}.
 */
@NullMarked
package dev.leat.server.internal.access;

import org.jspecify.annotations.NullMarked;
