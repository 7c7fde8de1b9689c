/** Commands that run tasks until they are stopped: shell commands, handlers of a jar, and webhooks. */
@NullMarked
package dev.leat.cli.work;

import org.jspecify.annotations.NullMarked;
