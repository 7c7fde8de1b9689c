/** Leaders: a leased lock that is renewed, and work that is done while it is held. */
@NullMarked
package dev.leat.internal.leading;

import org.jspecify.annotations.NullMarked;
