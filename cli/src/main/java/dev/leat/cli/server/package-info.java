/** {@code leat server}, and the tokens of its users. */
@NullMarked
package dev.leat.cli.server;

import org.jspecify.annotations.NullMarked;
