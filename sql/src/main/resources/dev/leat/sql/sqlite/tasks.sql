-- Tasks, their ids and settles. SQLite has one writer at a time, so rows that a writing transaction has read cannot change under it.

-- name: new-ids
-- No other transaction can insert before this one ends, so the ids after the last one are free.
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
SELECT i + (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '${prefix}task') FROM n

-- name: last-id
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '${prefix}task'

-- name: last-group-id
SELECT seq FROM sqlite_sequence WHERE name = '${prefix}task_group'

-- name: enter-key
INSERT INTO ${prefix}key_lease (queue_id, task_key, task_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: insert-new-idempotency
INSERT INTO ${prefix}idempotency (queue_id, idempotency, task_id, known_until, fingerprint) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: acquire-lock
INSERT INTO ${prefix}lock (name, holder, held_until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- fragment: in_ids
-- A list of ids is a JSON array.
IN (SELECT value FROM json_each(?))

-- name: live-tasks
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id ${in_ids}

-- name: lock-tasks
SELECT ${live_columns} FROM ${prefix}task t WHERE t.id ${in_ids}

-- name: task-statuses
SELECT ${status_columns} FROM ${prefix}task t WHERE t.id IN (SELECT value FROM json_each(?))

-- name: finished-statuses
SELECT ${finished_status_columns} FROM ${prefix}finished t
WHERE t.id IN (SELECT value FROM json_each(?)) AND (t.hidden_at > ? OR t.finished_at > ?)

-- name: plain-deliveries
-- Taken tasks whose ack changes no other row: no key, group, cancel request or publication.
SELECT t.id, t.nonce, t.queue_id FROM ${prefix}task t
WHERE t.id ${in_ids} AND t.state = ${TAKEN} AND t.task_key IS NULL AND t.group_id IS NULL
  AND t.revoke_at IS NULL AND (t.publication_id IS NULL OR t.publication_id <> 0)

-- name: finish-plain
-- Moves any number of acknowledged tasks with two statements. Reads the payload only to keep it.
INSERT INTO ${prefix}finished (
  id, queue_id, state, finished_at, hidden_at, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, settled_nonce, settled_by, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, error_code, content_type, payload)
SELECT
  id, queue_id, ${DONE}, ?, ?, priority, created, due, previous_due, expires, ttr, attempts, failures,
  losses, releases, nonce, ?, address, type, tenant, business_group, origin, destination,
  external_key, payload_hash, tags, trace, dead_of, publication_id, subscriber, 0,
  CASE WHEN ? OR coalesce(length(payload), 0) = 0 THEN content_type ELSE ? END, CASE WHEN ? THEN payload END
FROM ${prefix}task WHERE id ${in_ids}

-- name: delete-plain
DELETE FROM ${prefix}task WHERE id ${in_ids}
