/** Leaders: a candidate renews a leased lock and works while it holds the lock. */
@NullMarked
package dev.leat.internal.leading;

import org.jspecify.annotations.NullMarked;
