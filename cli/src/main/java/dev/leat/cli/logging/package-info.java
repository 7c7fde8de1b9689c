/** Where the log of commands that run for long goes: as text or JSON to standard error, and to Loki. */
@NullMarked
package dev.leat.cli.logging;

import org.jspecify.annotations.NullMarked;
