-- Timed changes, notices to waiters, and the purge.

-- name: moment
-- The time, and the next timer of a task.
SELECT ${now}, (SELECT min(timer_at) FROM ${prefix}task WHERE timer_at IS NOT NULL)

-- name: next-timers
-- The time, the next timer of a task, the next end of a silent session, the last heartbeat, and the next run of a schedule.
SELECT ${now}, (SELECT min(timer_at) FROM ${prefix}task WHERE timer_at IS NOT NULL),
  (SELECT min(CASE WHEN disconnected IS NULL THEN heard + dead_after ELSE disconnected + grace END) FROM ${prefix}session),
  (SELECT max(CASE WHEN disconnected > heard THEN disconnected ELSE heard END) FROM ${prefix}session),
  (SELECT min(next_run) FROM ${prefix}schedule WHERE next_run IS NOT NULL)

-- name: due-tasks
SELECT t.id, t.state FROM ${prefix}task t WHERE t.timer_at <= ? ORDER BY t.timer_at, t.id LIMIT ${limit}
${skip_locked}

-- name: next-timer
SELECT min(timer_at) FROM ${prefix}task WHERE timer_at IS NOT NULL

-- name: notices
-- All that a waiting process needs: each queue and whether it has a ready task, the sessions with a task to stop, the next timer and
-- the next run.
SELECT q.id, q.name, q.options, q.paused, q.set_by, q.revision,
  CASE WHEN EXISTS (SELECT 1 FROM ${prefix}task t WHERE t.queue_id = q.id AND t.state = ${READY}) THEN 1 ELSE 0 END, 1
FROM ${prefix}queue q WHERE q.live = 1
UNION ALL
SELECT DISTINCT 0, t.session_id, NULL, 0, NULL, 0, 0, 2 FROM ${prefix}task t
WHERE t.revoke_at IS NOT NULL AND t.session_id IS NOT NULL
UNION ALL
SELECT min(t.timer_at), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}task t WHERE t.timer_at IS NOT NULL
UNION ALL
SELECT min(s.next_run), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}schedule s WHERE s.next_run IS NOT NULL

-- name: old-finished
SELECT f.id FROM ${prefix}finished f
WHERE f.queue_id = ? AND f.state = ? AND f.hidden_at <= ? AND f.finished_at <= ? ORDER BY f.hidden_at LIMIT ${limit}

-- name: delete-finished
DELETE FROM ${prefix}finished WHERE id = ?

-- name: delete-attempts
DELETE FROM ${prefix}attempt WHERE task_id = ?

-- name: old-given-back
SELECT id FROM ${prefix}attempt WHERE number = 0 AND ended <= ? ORDER BY ended LIMIT ${limit}

-- name: delete-attempt
DELETE FROM ${prefix}attempt WHERE id = ?

-- name: old-idempotency
-- Skips rows that the transaction of a caller has locked.
SELECT queue_id, idempotency FROM ${prefix}idempotency WHERE known_until <= ? ORDER BY known_until LIMIT ${limit}
${skip_locked}

-- name: delete-idempotency
DELETE FROM ${prefix}idempotency WHERE queue_id = ? AND idempotency = ? AND known_until <= ?

-- name: old-groups
SELECT id FROM ${prefix}task_group WHERE ended_at <= ? LIMIT ${limit}

-- name: delete-group
DELETE FROM ${prefix}task_group WHERE id = ?

-- name: delete-group-dependencies
DELETE FROM ${prefix}dependency WHERE group_id = ?

-- name: delete-group-counts
DELETE FROM ${prefix}group_count WHERE group_id = ?
