/** Commands that put, take, settle, show and move tasks. */
@NullMarked
package dev.leat.cli.task;

import org.jspecify.annotations.NullMarked;
