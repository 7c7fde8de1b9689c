/** What the terminal shows and reads: tables, JSON, progress, durations, and the values of options. */
@NullMarked
package dev.leat.cli.console;

import org.jspecify.annotations.NullMarked;
