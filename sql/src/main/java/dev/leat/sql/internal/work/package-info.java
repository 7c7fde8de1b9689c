/** The unit of work: one transaction with the rows that it loads and changes, and the life cycle of a task. */
@NullMarked
package dev.leat.sql.internal.work;

import org.jspecify.annotations.NullMarked;
