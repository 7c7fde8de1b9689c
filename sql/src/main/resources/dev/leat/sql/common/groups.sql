-- Groups.

-- fragment: group_columns
id, name, state, on_failure, ends_as, end_task, abort_task, closing_task, moving, reason, outer_id

-- name: insert-group
INSERT INTO ${prefix}task_group (name, open_name, state, on_failure, ends_as, end_task, abort_task, outer_id)
VALUES (:name, :open_name, :state, :on_failure, :ends_as, :end_task, :abort_task, :outer_id)

-- name: group
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?

-- name: hold-group
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${for_share}

-- name: hold-group-if-free
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${for_share_skip_locked}

-- name: lock-group
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${for_update}

-- name: lock-group-if-free
SELECT ${group_columns} FROM ${prefix}task_group WHERE id = ?
${skip_locked}

-- name: group-by-name
SELECT ${group_columns} FROM ${prefix}task_group WHERE open_name = ?

-- name: update-group
UPDATE ${prefix}task_group
SET state = :state, ends_as = :ends_as, open_name = :open_name, closing_task = :closing_task, ended_at = :ended_at,
  end_task = :end_task, abort_task = :abort_task, moving = :moving, reason = :reason,
  outer_id = :outer_id
WHERE id = :id

-- name: moving-groups
SELECT id FROM ${prefix}task_group WHERE state IN ('STARTED', 'CANCELING') AND moving = 1

-- name: open-groups
SELECT id FROM ${prefix}task_group WHERE state IN ('OPEN', 'STARTED') AND id > ? ORDER BY id LIMIT ${limit}

-- name: group-has-work
SELECT 1 FROM ${prefix}task t
WHERE t.group_id = ? AND t.group_id IS NOT NULL AND t.state IN (
  ${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}) LIMIT 1

-- fragment: has_no_work
NOT EXISTS (
  SELECT 1 FROM ${prefix}task t
  WHERE t.group_id = g.id AND t.group_id IS NOT NULL AND t.state IN (
    ${WAITING_GROUP}, ${SCHEDULED}, ${WAITING_KEY}, ${READY}, ${TAKEN}))
  AND ${has_no_inner_groups}

-- fragment: has_no_inner_groups
NOT EXISTS (SELECT 1 FROM ${prefix}task_group i WHERE i.outer_id = g.id AND i.outer_id IS NOT NULL)

-- name: inner-groups
SELECT id FROM ${prefix}task_group WHERE outer_id = ? AND outer_id IS NOT NULL LIMIT 1

-- name: inner-groups-to-cancel
SELECT id FROM ${prefix}task_group WHERE outer_id = ? AND outer_id IS NOT NULL AND state IN ('OPEN', 'STARTED') LIMIT 1

-- name: groups-without-work
SELECT g.id FROM ${prefix}task_group g WHERE g.state IN ('STARTED', 'CANCELING') AND ${has_no_work}

-- name: group-progress
-- Whether the group is over, and whether a task of it can still wait for another task.
SELECT CASE WHEN g.state IN ('STARTED', 'CANCELING') AND ${has_no_work} THEN 1 ELSE 0 END,
  CASE WHEN EXISTS (SELECT 1 FROM ${prefix}dependency d WHERE d.group_id = g.id AND d.met = 0) THEN 1 ELSE 0 END
FROM ${prefix}task_group g WHERE g.id = ?

-- fragment: some_of_group
-- BETWEEN a state and the same state keeps out the partial indexes of that state, which have the tasks of all groups.
SELECT 1 FROM ${prefix}task t WHERE t.group_id = :group_id AND t.group_id IS NOT NULL AND t.state BETWEEN

-- name: group-live-counts
-- Counts each state separately, up to the limit.
SELECT ${WAITING_GROUP}, count(*) FROM (${some_of_group} ${WAITING_GROUP} AND ${WAITING_GROUP} LIMIT ${named_limit}) c
UNION ALL SELECT ${SCHEDULED}, count(*) FROM (${some_of_group} ${SCHEDULED} AND ${SCHEDULED} LIMIT ${named_limit}) c
UNION ALL SELECT ${WAITING_KEY}, count(*) FROM (${some_of_group} ${WAITING_KEY} AND ${WAITING_KEY} LIMIT ${named_limit}) c
UNION ALL SELECT ${READY}, count(*) FROM (${some_of_group} ${READY} AND ${READY} LIMIT ${named_limit}) c
UNION ALL SELECT ${TAKEN}, count(*) FROM (${some_of_group} ${TAKEN} AND ${TAKEN} LIMIT ${named_limit}) c
UNION ALL SELECT ${BURIED}, count(*) FROM (${some_of_group} ${BURIED} AND ${BURIED} LIMIT ${named_limit}) c

-- name: group-counts
SELECT coalesce(sum(put), 0), coalesce(sum(done), 0), coalesce(sum(failed), 0), coalesce(sum(canceled), 0)
FROM ${prefix}group_count WHERE group_id = ?

-- name: insert-group-count
INSERT INTO ${prefix}group_count (group_id, put, done, failed, canceled) VALUES (?, ?, ?, ?, ?)

-- name: some-group-counts
SELECT id, put, done, failed, canceled FROM ${prefix}group_count WHERE group_id = ? LIMIT ${limit}
${skip_locked}

-- name: delete-group-count
DELETE FROM ${prefix}group_count WHERE id = ?

-- name: group-tasks
-- The tasks of a group after a position, in the states up to the given one. "state >=" changes no result, but without it the scan
-- would begin at the first task of the group.
SELECT t.state, t.id FROM ${prefix}task t
WHERE t.group_id = ? AND t.group_id IS NOT NULL AND t.state >= ? AND (t.state, t.id) > (?, ?) AND t.state <= ?
ORDER BY t.state, t.id LIMIT ${limit}
${for_update}
