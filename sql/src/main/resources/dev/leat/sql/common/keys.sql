-- Keys: the task that runs for a key, and the tasks that wait for it.

-- name: leave-key
DELETE FROM ${prefix}key_lease WHERE queue_id = ? AND task_key = ? AND task_id = ?

-- name: hold-key
-- Locks the row without a change, so that no transaction frees the key before this one ends.
UPDATE ${prefix}key_lease SET task_id = task_id WHERE queue_id = ? AND task_key = ?

-- name: key-holder
SELECT task_id FROM ${prefix}key_lease WHERE queue_id = ? AND task_key = ?

-- name: before-in-line
-- A task of the key that has to run before the given task. A take misses such a task if another transaction has locked it.
SELECT t.id FROM ${prefix}task t
WHERE t.queue_id = ? AND t.task_key = ? AND t.task_key IS NOT NULL AND t.state IN (${WAITING_KEY}, ${READY})
  AND t.priority <= ? AND (t.priority, t.id) < (?, ?)
LIMIT 1

-- name: next-behind-key
SELECT t.id FROM ${prefix}task t
WHERE t.queue_id = ? AND t.task_key = ? AND t.task_key IS NOT NULL AND t.state = ${WAITING_KEY}
ORDER BY t.priority, t.id LIMIT 1
${for_update}
