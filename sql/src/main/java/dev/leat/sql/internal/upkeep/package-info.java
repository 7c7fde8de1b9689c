/**
 * What time demands and what is left for later: due tasks, dead sessions, purges, ends of groups, tasks that follow others.
 */
@NullMarked
package dev.leat.sql.internal.upkeep;

import org.jspecify.annotations.NullMarked;
