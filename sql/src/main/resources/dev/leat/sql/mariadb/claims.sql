-- What portable mode runs instead of locking. Before a statement, it runs the statement claim-... of the same name with the same
-- values. A row that a transaction has written is its own on every engine.

-- name: claim-lock-queue
UPDATE ${prefix}queue SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-task
UPDATE ${prefix}task SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-tasks
UPDATE ${tasks_by_ids}
SET t.claims = t.claims + 1

-- name: claim-plain-deliveries
UPDATE ${tasks_by_ids}
SET t.claims = t.claims + 1

-- name: claim-lock-session
UPDATE ${prefix}session SET claims = claims + 1 WHERE id = ?

-- name: claim-hold-session
UPDATE ${prefix}session SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-schedule
UPDATE ${prefix}schedule SET claims = claims + 1 WHERE name = ?

-- name: claim-due-schedules
UPDATE ${prefix}schedule SET claims = claims + 1
WHERE (next_run > ? OR (next_run = ? AND name > ?)) AND next_run <= ? ORDER BY next_run, name LIMIT ${limit}

-- name: claim-due-schedule
UPDATE ${prefix}schedule SET claims = claims + 1 WHERE name = ? AND next_run <= ?

-- name: claim-lock-group
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- name: claim-lock-group-if-free
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- name: claim-hold-group
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?

-- name: claim-hold-group-if-free
UPDATE ${prefix}task_group SET claims = claims + 1 WHERE id = ?
