-- Tasks of a group that wait for other tasks of the group.

-- name: insert-dependency
INSERT INTO ${prefix}dependency (group_id, task_id, after_id, until_done, met) VALUES (?, ?, ?, ?, ?)

-- name: meet-dependency
UPDATE ${prefix}dependency SET met = 1 WHERE task_id = ? AND after_id = ?

-- name: task-ends
-- The states of live or finished tasks. Locks nothing: a transaction that ends one of the tasks checks its followers afterwards.
SELECT t.id, t.state, t.group_id FROM ${prefix}task t WHERE t.id ${in_ids}
UNION ALL SELECT t.id, t.state, t.group_id FROM ${prefix}finished t WHERE t.id ${in_ids}

-- name: followers
SELECT d.task_id FROM ${prefix}dependency d WHERE d.group_id = ? AND d.met = 0 AND d.after_id ${in_ids}

-- name: unmet-dependencies
-- "+ 0" keeps the planner off the index of all groups.
SELECT d.task_id, d.after_id, d.until_done FROM ${prefix}dependency d
WHERE d.task_id ${in_ids} AND d.met + 0 = 0

-- name: dependencies
SELECT d.task_id, d.after_id, d.until_done FROM ${prefix}dependency d
WHERE d.task_id ${in_ids} ORDER BY d.task_id, d.after_id

-- name: forgotten-followers
-- Tasks that still wait for a task that has ended.
SELECT d.group_id, d.task_id FROM ${prefix}dependency d JOIN ${prefix}task t ON t.id = d.task_id AND t.state = ${WAITING_GROUP}
WHERE d.group_id ${in_ids} AND d.met = 0
  AND NOT EXISTS (SELECT 1 FROM ${prefix}task p WHERE p.id = d.after_id AND p.state <> ${BURIED})
LIMIT ${limit}
