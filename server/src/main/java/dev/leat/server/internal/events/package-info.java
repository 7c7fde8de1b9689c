/** The stream of task changes that HTTP clients listen to. */
@NullMarked
package dev.leat.server.internal.events;

import org.jspecify.annotations.NullMarked;
