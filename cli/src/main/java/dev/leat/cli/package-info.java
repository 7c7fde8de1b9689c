/** The command line: {@link dev.leat.cli.Main} and one class per command. */
@NullMarked
package dev.leat.cli;

import org.jspecify.annotations.NullMarked;
