/**
 * Base classes of commands: the storage they open, the variables of nsj-queue-lib, and questions to the user.
 */
@NullMarked
package dev.leat.cli.command;

import org.jspecify.annotations.NullMarked;
