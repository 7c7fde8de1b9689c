/** The unit of work: one transaction with the rows it has loaded and changed, and the life cycle of a task. */
@NullMarked
package dev.leat.sql.internal.work;

import org.jspecify.annotations.NullMarked;
