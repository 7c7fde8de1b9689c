-- Schedules.

-- fragment: schedule_columns
s.name, s.cron, s.zone, s.rate, s.rate_start, s.missed, s.missed_limit, s.overlap, s.task, s.set_by, s.paused, s.created,
  s.next_run, s.last_run, s.last_task, s.last_skip, s.skip_reason

-- name: schedule
SELECT ${schedule_columns} FROM ${prefix}schedule s WHERE s.name = ?

-- name: lock-schedule
SELECT ${schedule_columns} FROM ${prefix}schedule s WHERE s.name = ? ${for_update}

-- name: schedules
SELECT ${schedule_columns} FROM ${prefix}schedule s
WHERE s.name > ? AND (CAST(? AS ${text}) IS NULL OR s.queue = ?) ORDER BY s.name LIMIT ${limit}

-- name: schedules-of-tenant
SELECT ${schedule_columns} FROM ${prefix}schedule s
WHERE s.tenant = ? AND s.name > ? AND (CAST(? AS ${text}) IS NULL OR s.queue = ?) ORDER BY s.name LIMIT ${limit}

-- name: insert-schedule
INSERT INTO ${prefix}schedule (queue, tenant, cron, zone, rate, rate_start, missed, missed_limit, overlap, task, set_by,
  paused, next_run, last_run, last_task, last_skip, skip_reason, name, created)
VALUES (
  :queue, :tenant, :cron, :zone, :rate, :rate_start, :missed, :missed_limit, :overlap, :task, :set_by, :paused,
  :next_run, :last_run, :last_task, :last_skip, :skip_reason, :name, :created)

-- name: change-schedule
UPDATE ${prefix}schedule SET queue = :queue, tenant = :tenant, cron = :cron, zone = :zone, rate = :rate,
  rate_start = :rate_start, missed = :missed,
  missed_limit = :missed_limit, overlap = :overlap, task = :task, set_by = :set_by, paused = :paused, next_run = :next_run,
  last_run = :last_run, last_task = :last_task,
  last_skip = :last_skip, skip_reason = :skip_reason
WHERE name = :name

-- name: drop-schedule
DELETE FROM ${prefix}schedule WHERE name = ?

-- name: due-schedules
-- The due schedules after a position. Skips schedules that another process has locked.
SELECT ${schedule_columns} FROM ${prefix}schedule s
WHERE s.next_run >= ? AND (s.next_run, s.name) > (?, ?) AND s.next_run <= ?
ORDER BY s.next_run, s.name LIMIT ${limit}
${skip_locked}

-- name: due-schedule
SELECT ${schedule_columns} FROM ${prefix}schedule s WHERE s.name = ? AND s.next_run <= ? ${skip_locked}

-- name: move-schedule
-- Changes the row only if next_run is still the run that is due, so only one process puts its task.
UPDATE ${prefix}schedule SET next_run = :next_run, last_run = :last_run, last_task = :last_task, last_skip = :last_skip,
  skip_reason = :skip_reason
WHERE name = :name AND next_run = :due_run

-- name: next-run
SELECT min(next_run) FROM ${prefix}schedule WHERE next_run IS NOT NULL

-- name: unended-state
SELECT t.state FROM ${prefix}task t WHERE t.id = ? AND t.state <> ${BURIED}
