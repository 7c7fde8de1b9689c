/** What you need to test your handlers: a clock that your test moves, and a Leat in memory on this clock. */
@NullMarked
package dev.leat.testkit;

import org.jspecify.annotations.NullMarked;
