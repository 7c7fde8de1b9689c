/** Schedules: cron expressions, fixed rates and missed runs. Values only. */
@NullMarked
package dev.leat.schedule;

import org.jspecify.annotations.NullMarked;
