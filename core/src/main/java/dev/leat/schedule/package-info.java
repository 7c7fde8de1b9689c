/** Schedules: cron expressions, fixed rates, and what becomes of missed runs. Values only. */
@NullMarked
package dev.leat.schedule;

import org.jspecify.annotations.NullMarked;
