-- Sessions, groups and schedules, with FORCE INDEX as in tasks.sql.

-- name: to-stop
SELECT t.id, t.nonce FROM ${prefix}task t FORCE INDEX (task_to_stop) WHERE t.stop_session = ? ORDER BY t.id

-- name: notices
SELECT q.id, q.name, q.options, q.paused, q.set_by, q.revision, CASE WHEN EXISTS (
    SELECT 1 FROM ${prefix}task t FORCE INDEX (task_state) WHERE t.queue_id = q.id AND t.state = ${READY})
  THEN 1 ELSE 0 END, 1
FROM ${prefix}queue q WHERE q.live = 1
UNION ALL
SELECT DISTINCT 0, t.stop_session, NULL, 0, NULL, 0, 0, 2 FROM ${prefix}task t FORCE INDEX (task_to_stop)
WHERE t.stop_session IS NOT NULL
UNION ALL
SELECT min(t.timer_at), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}task t WHERE t.timer_at IS NOT NULL
UNION ALL
SELECT min(s.next_run), NULL, NULL, 0, NULL, 0, 0, 3 FROM ${prefix}schedule s WHERE s.next_run IS NOT NULL

-- name: group-has-work
SELECT 1 FROM ${prefix}task t FORCE INDEX (task_of_group)
WHERE t.group_id = ? AND t.group_state IN (${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}) LIMIT 1

-- fragment: has_no_work
NOT EXISTS (
  SELECT 1 FROM ${prefix}task t FORCE INDEX (task_of_group)
  WHERE t.group_id = g.id AND t.group_state IN (
    ${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}))
  AND ${has_no_inner_groups}

-- fragment: some_of_group
SELECT 1 FROM ${prefix}task t FORCE INDEX (task_of_group) WHERE t.group_id = :group_id AND t.group_state BETWEEN

-- name: group-tasks
SELECT t.group_state, t.id FROM ${prefix}task t FORCE INDEX (task_of_group)
WHERE t.group_id = ? AND (t.group_state > ? OR (t.group_state = ? AND t.id > ?)) AND t.group_state <= ?
ORDER BY t.group_state, t.id LIMIT ${limit}
${for_update}

-- name: due-schedules
SELECT ${schedule_columns} FROM ${prefix}schedule s FORCE INDEX (schedule_next)
WHERE (s.next_run > ? OR (s.next_run = ? AND s.name > ?)) AND s.next_run <= ?
ORDER BY s.next_run, s.name LIMIT ${limit}
${skip_locked}

-- name: schedules-of-tenant
SELECT ${schedule_columns} FROM ${prefix}schedule s FORCE INDEX (schedule_tenant)
WHERE s.tenant = ? AND s.name > ? AND (CAST(? AS ${text}) IS NULL OR s.queue = ?) ORDER BY s.name LIMIT ${limit}
