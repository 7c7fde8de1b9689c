/** {@code leat demo}: fifteen seconds to see what Leat is. Puts tasks of every kind, works them off, and adds them up. */
@NullMarked
package dev.leat.cli.demo;

import org.jspecify.annotations.NullMarked;
