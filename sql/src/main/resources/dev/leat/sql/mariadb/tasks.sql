-- Tasks, their ids, keys and settles on MariaDB and MySQL at READ COMMITTED: each statement sees what was committed before it.
-- ${for_update} and the like lock the rows that the transaction is going to change. They are empty in portable mode, see claims.sql.
-- FORCE INDEX: without statistics, the optimizer prefers another index and a sort.

-- name: mark-ids
SAVEPOINT leat_ids

-- name: reserve-ids
INSERT INTO ${prefix}task_id (id)
SELECT NULL FROM JSON_TABLE(CONCAT('[0', REPEAT(',0', ? - 1), ']'), '$[*]' COLUMNS (n INTEGER PATH '$')) n

-- name: new-ids
-- No transaction commits a row of this table, so a transaction sees only its own rows.
SELECT id FROM ${prefix}task_id ORDER BY id

-- name: unmark-ids
ROLLBACK TO SAVEPOINT leat_ids

-- name: last-id
SELECT coalesce(AUTO_INCREMENT, 1) - 1 FROM information_schema.tables
WHERE table_schema = IF(LOCATE('.', '${prefix}') > 0, SUBSTRING_INDEX('${prefix}', '.', 1), DATABASE())
  AND table_name = '${name}task_id'

-- name: last-group-id
SELECT LAST_INSERT_ID()

-- name: enter-key
-- Affects 1 row if it enters the key, 2 if the key is busy. INSERT IGNORE would take a shared lock on a busy row, and two
-- transactions that then write the row would deadlock.
INSERT INTO ${prefix}key_lease (queue_id, task_key, task_id) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE asked = asked + 1

-- name: hold-key
UPDATE ${prefix}key_lease SET asked = asked + 1 WHERE queue_id = ? AND task_key = ?

-- name: before-in-line
-- Comparisons of rows, (a, b) < (?, ?), do not bound a range on MariaDB.
SELECT t.id FROM ${prefix}task t FORCE INDEX (task_line)
WHERE t.queue_id = ? AND t.line_key = ? AND t.line_state IN (${WAITING_KEY}, ${READY})
  AND (t.priority < ? OR (t.priority = ? AND t.id < ?))
LIMIT 1

-- name: next-behind-key
SELECT t.id FROM ${prefix}task t FORCE INDEX (task_line)
WHERE t.queue_id = ? AND t.line_key = ? AND t.line_state = ${WAITING_KEY}
ORDER BY t.priority, t.id LIMIT 1
${for_update}

-- name: find-address
SELECT id FROM ${prefix}task FORCE INDEX (task_address) WHERE queue_id = ? AND live_address = ?

-- name: insert-new-idempotency
INSERT IGNORE INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until, fingerprint) VALUES (?, ?, ?, ?, ?)

-- name: hold-equivalence
-- A concurrent put of an equivalent task waits here until this transaction ends. task_id has no meaning in such a row. Not INSERT
-- IGNORE, see enter-key. The statement locks the current row, but a REPEATABLE READ transaction goes on seeing the old row unless it
-- changes the row. So it changes the row only if no other transaction has changed it.
INSERT INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until) VALUES (?, ?, 0, ?)
ON DUPLICATE KEY UPDATE known_until = IF(known_until = ?, VALUES(known_until), known_until)

-- fragment: tasks_by_ids
-- A list of ids is a JSON array in ascending order, so that two transactions cannot deadlock. Without FORCE INDEX the server scans
-- a small table, and a settle waits for uncommitted puts.
JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j STRAIGHT_JOIN ${prefix}task t FORCE INDEX (PRIMARY) ON t.id = j.id

-- fragment: in_ids
IN (SELECT id FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j)

-- name: task-ends
SELECT t.id, t.state, t.group_id FROM ${tasks_by_ids}
UNION ALL
SELECT t.id, t.state, t.group_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
  STRAIGHT_JOIN ${prefix}finished t FORCE INDEX (PRIMARY) ON t.id = j.id

-- name: live-tasks
SELECT ${live_columns} FROM ${tasks_by_ids}

-- name: lock-tasks
SELECT ${live_columns} FROM ${tasks_by_ids}
${for_update}

-- name: task-statuses
SELECT ${status_columns} FROM ${tasks_by_ids}

-- name: finished-statuses
SELECT ${finished_status_columns}
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) j
STRAIGHT_JOIN ${prefix}finished t FORCE INDEX (PRIMARY) ON t.id = j.id
WHERE t.hidden_at > ? OR t.finished_at > ?

-- name: update-task
-- MariaDB assigns from left to right, so place sees the new state.
UPDATE ${prefix}task SET
  state = :state, place = IF(state = ${BURIED}, 0, :place), due = :due, previous_due = :previous_due, expires = :expires,
  attempts = :attempts, failures = :failures,
  losses = :losses, releases = :releases, group_id = :group_id, nonce = :nonce, session_id = :session_id,
  taken_at = :taken_at, lease_until = :lease_until, revoke_at = :revoke_at,
  settled_nonce = :settled_nonce, settled_by = :settled_by, message = :message, error_code = :error_code, spread = :spread
WHERE id = :id

-- name: set-take-keys
UPDATE ${prefix}task SET place = IF(state = ${BURIED}, 0, ?), random = ?, take_type = ?, spread = ? WHERE id = ?

-- name: plain-deliveries
-- Taken tasks whose ack changes no other row: no key, group, cancel request or publication.
SELECT t.id, t.nonce, t.queue_id
FROM ${tasks_by_ids}
WHERE t.state = ${TAKEN} AND t.task_key IS NULL AND t.group_id IS NULL AND t.revoke_at IS NULL
  AND (t.publication_id IS NULL OR t.publication_id <> 0)
${for_update}

-- name: finish-plain
-- Moves any number of acknowledged tasks with two statements. Reads the payload only to keep it.
INSERT INTO ${prefix}finished (
  id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, settled_nonce, settled_by, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, error_code, content_type, payload)
SELECT
  t.id, queue_id, ${DONE}, ?, ?, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, nonce, ?, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, 0,
  CASE WHEN ? OR coalesce(length(payload), 0) = 0 THEN content_type ELSE ? END, CASE WHEN ? THEN payload END
FROM ${tasks_by_ids}

-- name: delete-plain
DELETE t FROM ${tasks_by_ids}

-- name: trim-attempts
-- MySQL needs the inner table, because it cannot read the table that it deletes from.
DELETE FROM ${prefix}attempt WHERE task_id = ? AND id <= (SELECT oldest.id FROM (
  SELECT a.id FROM ${prefix}attempt a WHERE a.task_id = ? ORDER BY a.id DESC LIMIT 1 OFFSET ?) oldest)

-- fragment: only_by_state
FORCE INDEX (task_state)

-- name: buried-of-queue
SELECT t.id, t.priority FROM ${prefix}task t FORCE INDEX (task_state)
WHERE t.queue_id = ? AND t.state = ${BURIED} AND (t.priority > ? OR (t.priority = ? AND t.place = 0 AND t.id > ?))
ORDER BY t.priority, t.place, t.id LIMIT ${limit}

-- name: count-live
SELECT count(*) FROM (SELECT 1 FROM ${prefix}task FORCE INDEX (task_state) WHERE queue_id = ? LIMIT ${limit}) c
