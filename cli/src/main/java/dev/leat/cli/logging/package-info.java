/** The log of long-running commands: text or JSON on standard error, and Loki. */
@NullMarked
package dev.leat.cli.logging;

import org.jspecify.annotations.NullMarked;
